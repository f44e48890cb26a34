// derive.mjs FROM TO: cut GitHub's published OpenAPI down to the bare structure
// of the operations in routes.txt and the webhooks in webhooks.txt (paths,
// parameters, schemas, enums, limits, required fields) with the closure of
// their references, and no prose. A webhook's schema is put under
// components.schemas as "event NAME".
// FROM is generated/api.github.com.json of the npm package @octokit/openapi:
//   npm pack @octokit/openapi@23.0.2 && tar xzf octokit-openapi-23.0.2.tgz
//   node derive.mjs package/generated/api.github.com.json openapi.json.gz
import { readFileSync, writeFileSync } from "node:fs";
import { gzipSync } from "node:zlib";

const [from, to] = process.argv.slice(2);
const doc = JSON.parse(readFileSync(from, "utf8"));
const list = (file) => readFileSync(new URL(file, import.meta.url), "utf8")
  .split("\n").filter((l) => l && !l.startsWith("#"));
const routes = list("routes.txt").map((l) => l.split(" "));

// Schema keywords kept as they are, and those that hold schemas.
const plain = ["type", "required", "enum", "format", "minLength", "maxLength", "minItems", "maxItems",
  "minimum", "maximum", "minProperties", "maxProperties", "pattern", "nullable", "uniqueItems"];
const single = ["items", "not"];
const lists = ["oneOf", "anyOf", "allOf"];
const needed = [];

function ref(node) {
  needed.push(node.$ref);
  return { $ref: node.$ref };
}

function schema(s) {
  if (s.$ref) return ref(s);
  const out = {};
  for (const k of plain) if (k in s) out[k] = s[k];
  for (const k of single) if (k in s) out[k] = schema(s[k]);
  for (const k of lists) if (k in s) out[k] = s[k].map(schema);
  if (s.properties) out.properties = map(s.properties, schema);
  if ("additionalProperties" in s) {
    out.additionalProperties = typeof s.additionalProperties === "object" ? schema(s.additionalProperties) : s.additionalProperties;
  }
  return out;
}

function map(object, f) {
  return Object.fromEntries(Object.entries(object).map(([k, v]) => [k, f(v)]));
}

const media = (m) => (m.schema ? { schema: schema(m.schema) } : {});

function parameter(p) {
  if (p.$ref) return ref(p);
  const out = { name: p.name, in: p.in };
  for (const k of ["required", "style", "explode"]) if (k in p) out[k] = p[k];
  if (p.schema) out.schema = schema(p.schema);
  return out;
}

function response(r) {
  if (r.$ref) return ref(r);
  return r.content ? { description: "", content: map(r.content, media) } : { description: "" };
}

function operation(op) {
  const out = { operationId: op.operationId, responses: map(op.responses, response) };
  if (op.parameters) out.parameters = op.parameters.map(parameter);
  if (op.requestBody) out.requestBody = { required: !!op.requestBody.required, content: map(op.requestBody.content, media) };
  return out;
}

const cleaners = { schemas: schema, parameters: parameter, responses: response };
const out = { openapi: doc.openapi, info: { title: "", version: doc.info.version }, paths: {}, components: {} };
for (const [method, path] of routes) {
  const op = doc.paths[path]?.[method.toLowerCase()];
  if (!op) throw new Error(`no operation ${method} ${path}`);
  (out.paths[path] ??= {})[method.toLowerCase()] = operation(op);
}
const events = {};
for (const name of list("webhooks.txt")) {
  const hook = doc["x-webhooks"][name];
  if (!hook) throw new Error(`no webhook ${name}`);
  events[`event ${name}`] = schema(hook.post.requestBody.content["application/json"].schema);
}
while (needed.length) {
  const [, , kind, name] = needed.pop().split("/");
  const group = (out.components[kind] ??= {});
  if (name in group) continue;
  group[name] = {};
  group[name] = cleaners[kind](doc.components[kind][name]);
}
Object.assign(out.components.schemas, events);
for (const kind of Object.keys(out.components)) {
  out.components[kind] = Object.fromEntries(Object.entries(out.components[kind]).sort(([a], [b]) => (a < b ? -1 : 1)));
}
writeFileSync(to, gzipSync(JSON.stringify(out), { level: 9 }));
