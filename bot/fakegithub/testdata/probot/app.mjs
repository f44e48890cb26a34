// app.mjs APP_JSON PORT: a Probot App that lives at the stand-in. It answers
// webhooks on PORT and prints one JSON line for each thing that it did.
import { createServer } from "node:http";
import { readFileSync } from "node:fs";
import { Probot } from "probot";
import { verify } from "@octokit/webhooks-methods";

const app = JSON.parse(readFileSync(process.argv[2], "utf8"));
const secret = readFileSync(app.webhook_secret_file, "utf8");
const say = (what) => console.log(JSON.stringify(what));

const probot = new Probot({
  appId: app.app_id, privateKey: readFileSync(app.private_key, "utf8"), secret, baseUrl: app.url, logLevel: "fatal",
});

const annotations = (n) => Array.from({ length: n }, (_, i) => ({
  path: "main.c", start_line: i + 1, end_line: i + 1, annotation_level: "failure", message: `finding ${i}`,
}));
const output = (n) => ({ title: "found", summary: "a summary", annotations: annotations(n) });

await probot.load((robot) => {
  robot.on("pull_request.opened", async (context) => {
    const checks = context.octokit.rest.checks;
    const run = await checks.create(context.repo({ name: "probot", head_sha: context.payload.pull_request.head.sha, output: output(50) }));
    say({ step: "created", status: run.status, count: run.data.output.annotations_count });
    const done = await checks.update(context.repo({ check_run_id: run.data.id, conclusion: "failure", output: output(3) }));
    say({ step: "updated", status: done.data.status, count: done.data.output.annotations_count });
    const all = await context.octokit.paginate(checks.listAnnotations, context.repo({ check_run_id: run.data.id, per_page: 20 }));
    say({ step: "listed", count: all.length });
    try {
      await checks.update(context.repo({ check_run_id: run.data.id, output: output(51) }));
      say({ step: "51", status: 200 });
    } catch (error) {
      say({ step: "51", status: error.status });
    }
    const files = await context.octokit.rest.pulls.listFiles(context.pullRequest());
    say({ step: "files", names: files.data.map((f) => f.filename) });
    const config = await context.octokit.rest.repos.getContent(context.repo({ path: "lib/new file.c", ref: "fix" }));
    say({ step: "content", text: Buffer.from(config.data.content, "base64").toString() });
  });
  robot.on("issue_comment.created", async (context) => {
    if (context.isBot) return;
    await context.octokit.rest.reactions.createForIssueComment(context.repo({ comment_id: context.payload.comment.id, content: "rocket" }));
    const reply = await context.octokit.rest.issues.createComment(context.issue({ body: "done" }));
    say({ step: "replied", status: reply.status });
  });
});

createServer(async (request, response) => {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  const payload = Buffer.concat(chunks).toString();
  const signature = request.headers["x-hub-signature-256"];
  const name = request.headers["x-github-event"];
  say({ step: "webhook", name, verified: await verify(secret, payload, signature), tampered: await verify(secret, payload + " ", signature) });
  response.writeHead(202).end();
  try {
    await probot.webhooks.verifyAndReceive({ id: request.headers["x-github-delivery"], name, payload, signature });
  } catch (error) {
    say({ step: "error", name, message: String(error.message) });
  }
}).listen(Number(process.argv[3]), "127.0.0.1", () => say({ step: "ready" }));
