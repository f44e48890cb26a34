// send.mjs URL SECRET_FILE EVENT...: posts every example payload of the events,
// signed, and prints a JSON line for each: what it was and what was answered.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { sign } from "@octokit/webhooks-methods";

const [url, secretFile, ...events] = process.argv.slice(2);
const secret = readFileSync(secretFile, "utf8").trim();
const require = createRequire(import.meta.url);
let n = 0;

async function post(event, body, headers) {
  const res = await fetch(url, { method: "POST", body, headers: { "X-GitHub-Event": event, "X-GitHub-Delivery": `example-${n++}`, ...headers } });
  await res.text();
  return res.status;
}

for (const set of ["api.github.com", "ghes-31", "ghes-32", "ghes-33", "ghes-34", "ghes-35"]) {
  for (const { name, examples } of require(`@octokit/webhooks-examples/${set}/index.json`)) {
    if (!events.includes(name)) continue;
    for (const example of examples) {
      const json = JSON.stringify(example);
      const form = new URLSearchParams({ payload: json }).toString();
      const signed = async (body) => ({ "X-Hub-Signature-256": await sign(secret, body) });
      console.log(JSON.stringify({
        set, name, action: example.action ?? "",
        json: await post(name, json, { "Content-Type": "application/json", ...(await signed(json)) }),
        form: await post(name, form, { "Content-Type": "application/x-www-form-urlencoded", ...(await signed(form)) }),
        tampered: await post(name, json + " ", { "Content-Type": "application/json", ...(await signed(json)) }),
        unsigned: await post(name, json, { "Content-Type": "application/json" }),
      }));
    }
  }
}
