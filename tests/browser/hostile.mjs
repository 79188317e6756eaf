// Texts that want to be HTML, sites that want to use the page, programs that want to exhaust it.
import { execFileSync } from "node:child_process";
import { createServer } from "node:http";
import { mkdirSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { SRUN, check, example, finish, folder, open, paste, same, send, serve, started, test, until } from "./help.mjs";

const XSS = [
  "<script>alert(1)</script>", "<img src=x onerror=alert(1)>", "\"><svg onload=alert(1)>", "'-alert(1)-'",
  "</textarea></code></pre><iframe src=javascript:alert(1)>", "javascript:alert(1)", "{{7*7}}${7*7}<%= 7*7 %>", "<!--<base href=//evil.example>",
  "[x](javascript:alert(1)) ![y](https://evil.example/z.png) <https://evil.example>", "&lt;b&gt;&#60;script&#62;", "\u202e\u0000<b onclick=alert(1)>",
];
const log = example(SRUN);

/** Nothing of a hostile text may have become an element, an attribute that runs, or a link elsewhere. */
const harmless = async (page, what) => {
  const found = await page.evaluate(() => {
    const wrong = [];
    for (const one of document.querySelectorAll("*")) {
      if (["IFRAME", "IMG", "BASE", "OBJECT", "EMBED", "B-X"].includes(one.tagName)) wrong.push(one.outerHTML);
      if (one.tagName === "SCRIPT" && !/\/assets\/(page|search)\.js/.test(one.src)) wrong.push(one.outerHTML);
      for (const { name, value } of one.attributes) {
        if (name.startsWith("on") || (/^(href|src|action)$/.test(name) && /^\s*(javascript|data|vbscript):/i.test(value)) || name === "style") wrong.push(`${one.tagName} ${name}=${value}`);
      }
    }
    return wrong;
  });
  same(found, [], what);
};

test("hostile words of a paste stay text", async () => {
  const server = await serve();
  const page = await open(server);
  for (const words of XSS) {
    await page.goto(server.url());
    await paste(page, `${log.replace("Bus error.", words)}\nTraceback (most recent call last):\n  File "${words}", line 1, in ${words}\nRuntimeError: ${words}\n`);
    await harmless(page, words);
    await page.goto(server.url());
    await harmless(page, `the list of recent texts after ${words}`);
  }
  // Where the message itself is the title.
  for (const words of XSS) {
    await page.goto(server.url(await send(server, { "": `Traceback (most recent call last):\n  File "a.py", line 1, in f\nMyOwnError: ${words}\n` })));
    await harmless(page, `a title of ${words}`);
    const json = await fetch(server.url(`${new URL(page.url()).pathname.slice(1)}/0/answer.json`));
    same(json.headers.get("content-type"), "application/json", "the JSON");
    const markdown = await fetch(server.url(`${new URL(page.url()).pathname.slice(1)}/0/answer.md`));
    same(markdown.headers.get("content-type"), "text/plain; charset=utf-8", "the markdown");
    same(markdown.headers.get("x-content-type-options"), "nosniff", "the markdown");
  }
});

test("hostile names of files and members stay text", async () => {
  const server = await serve();
  const page = await open(server);
  const names = ["<img src=x onerror=alert(1)>.log", "\"><script>alert(1)<.log", "..\\..\\etc.log", "&lt;.log", "{{7*7}}.log"];
  await page.setInputFiles("input[name=file]", names.map((name) => ({ name, mimeType: "text/plain", buffer: Buffer.from(log) })));
  await page.click("button.primary");
  await page.waitForURL(/\/d\//);
  await harmless(page, "file names");
  check((await page.textContent(".tabs")).includes("<img src=x onerror=alert(1)>.log"), "the name is not shown as it is");
  const made = folder();
  mkdirSync(join(made, "<svg onload=alert(1)>"));
  for (const name of ["<img src=x onerror=alert(1)>", "b\"'.log"]) writeFileSync(join(made, "<svg onload=alert(1)>", name), log);
  execFileSync("tar", ["-C", made, "-cf", join(made, "a.tar"), "<svg onload=alert(1)>"]);
  await page.goto(server.url());
  await page.setInputFiles("input[name=file]", join(made, "a.tar"));
  await page.click("button.primary");
  await page.waitForURL(/\/d\//);
  same(await page.locator(".tabs a").count(), 2, "members");
  await harmless(page, "member names");
});

test("another site can neither send nor read, nor show us in a frame", async () => {
  const server = await serve();
  const kept = await send(server, { "": log });
  const evil = createServer((_, answer) => {
    answer.setHeader("content-type", "text/html");
    answer.end(`<!doctype html><title>evil</title><form method=post enctype=multipart/form-data action="${server.url("diagnose")}"><input name=text value="CUDA out of memory"><button>go</button></form>
      <form class=delete method=post action="${server.url(kept)}/forget"><button>go</button></form><iframe src="${server.url(kept)}"></iframe>`);
  });
  await new Promise((done) => evil.listen(0, "127.0.0.1", done));
  try {
    const context = await (await started()).newContext();
    const page = await context.newPage();
    const home = `http://127.0.0.1:${evil.address().port}/`;
    for (const name of ["127.0.0.1", "localhost"]) {
      for (const form of ["form", "form.delete"]) {
        await page.goto(home.replace("127.0.0.1", name));
        const [answer] = await Promise.all([page.waitForResponse((one) => one.request().method() === "POST"), page.click(`${form} button`)]);
        same(answer.status(), 403, `a form of ${name}`);
      }
    }
    await page.goto(home);
    const read = await page.evaluate((to) => fetch(to).then((answer) => answer.text(), (error) => `no: ${error.message}`), server.url(kept));
    check(read.startsWith("no: "), `it reads ${read.slice(0, 80)}`);
    const sent = await page.evaluate((to) => fetch(to, { method: "POST", mode: "no-cors", body: new FormData() }).then(() => "sent", () => "no"), server.url("diagnose"));
    const framed = page.frames().find((frame) => frame !== page.mainFrame());
    check(!(await framed.content()).includes("Shared memory"), "it can be shown in a frame");
    const policy = await page.evaluate((to) => new Promise((done) => {
      const picture = new Image();
      picture.onload = () => done("loaded");
      picture.onerror = () => done("no");
      picture.src = to;
    }), server.url("assets/icon.svg"));
    check(["no", "loaded"].includes(policy) && ["no", "sent"].includes(sent), "");
    await context.close();
  } finally { evil.close(); }
  same((await fetch(server.url(kept))).status, 200, "the text afterwards");
  const page = await open(server);
  same(await page.locator(".recent a").count(), 1, "recent texts");
});

/** Sends bytes as they are; gives what came until the other side closed or fell silent. */
const raw = (server, bytes, silence = 3000) => new Promise((done) => {
  const socket = connect(server.port, "127.0.0.1");
  let said = "";
  const end = () => { socket.destroy(); done(said); };
  socket.setTimeout(silence, end);
  socket.on("data", (part) => { said += part; });
  socket.on("error", end);
  socket.on("close", end);
  socket.write(bytes);
});
const head = (server, first) => `${first} HTTP/1.1\r\nHost: 127.0.0.1:${server.port}\r\nConnection: close\r\n`;

test("addresses lead only to our pages", async () => {
  const server = await serve({ files: { "secret.txt": "the secret" } });
  for (const path of ["/../secret.txt", "/assets/../secret.txt", "/assets/..%2f..%2fsecret.txt", "/assets/%2e%2e/%2e%2e/etc/passwd", "/d/../../etc/passwd",
    "/d/..%2f..%2f..%2fetc%2fpasswd", "/d/%00", "/d/00000000000000000000/..%2f1", "//evil.example/", "/d/00000000000000000000/99999999999999999999",
    "/assets/%c0%ae%c0%ae/secret.txt", "/.git/config", "http://evil.example/", "/d/00000000000000000000/0/beside/..%2f..%2fsecret"]) {
    const answer = await raw(server, `${head(server, `GET ${path}`)}\r\n`);
    const status = Number(answer.split(" ")[1]);
    check([400, 403, 404].includes(status) || (path === "http://evil.example/" && status === 200), `${path}: ${answer.slice(0, 200)}`);
    check(!/the secret|root:/.test(answer), `${path} leads out`);
    check(!/^location:.*evil/im.test(answer), `${path} leads elsewhere`);
  }
});

test("odd requests are refused and nothing falls over", async () => {
  const server = await serve();
  for (const method of ["DELETE", "PUT", "PATCH", "TRACE", "CONNECT", "OPTIONS", "FAULT"]) {
    const status = Number((await raw(server, `${head(server, `${method} /`)}\r\n`)).split(" ")[1]);
    check(status >= 400 && status < 500, `${method}: ${status}`);
  }
  const form = "Content-Type: multipart/form-data; boundary=x\r\n";
  for (const [what, bytes] of Object.entries({
    "no HTTP": "\x16\x03\x01\x02\x00\x01\x00\r\n\r\n",
    "a long header": `${head(server, "GET /")}X: ${"x".repeat(1 << 20)}\r\n\r\n`,
    "many headers": `${head(server, "GET /")}${"X: y\r\n".repeat(5000)}\r\n`,
    "two lengths": `${head(server, "POST /diagnose")}${form}Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello`,
    "length and chunks": `${head(server, "POST /diagnose")}${form}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
    "a form without end": `${head(server, "POST /diagnose")}${form}Content-Length: 60\r\n\r\n--x\r\nContent-Disposition: form-data; name="text"\r\n\r\nhello wor`.slice(0, -3),
    "no form": `${head(server, "POST /diagnose")}Content-Length: 5\r\n\r\nhello`,
  })) {
    const status = Number((await raw(server, bytes)).split(" ")[1] ?? 0);
    check(!(status >= 200 && status < 400) && status !== 500, `${what}: ${status}`);
  }
  same((await fetch(server.url())).status, 200, "the server afterwards");
});

test("1,000 idle and half-open connections do not keep others out", async () => {
  const server = await serve();
  const idle = [];
  for (let at = 0; at < 1000; at += 1) {
    const socket = connect(server.port, "127.0.0.1");
    socket.on("error", () => {});
    socket.resume();
    if (at % 2) socket.write(at % 4 === 1 ? "GET / HTTP/1.1\r\nHost: 127" : `${head(server, "POST /diagnose")}Content-Type: multipart/form-data; boundary=x\r\nContent-Length: 1000\r\n\r\n--x\r\n`);
    idle.push(socket);
  }
  await until(() => idle.every((socket) => !socket.connecting), "they do not connect", 20000);
  const begun = Date.now();
  same((await fetch(server.url())).status, 200, "the first page");
  await send(server, { "": log });
  const took = Date.now() - begun;
  const memory = server.memory();
  console.log(`  with 1,000 connections open: first page and a paste in ${took} ms, ${memory.toFixed(0)} MiB`);
  check(took < 10000, `it takes ${took} ms`);
  // Bodies that do not come are given up.
  await until(() => idle.filter((socket, at) => at % 4 === 3 && !socket.destroyed && socket.readable).length === 0, "half a body is waited for without end", 60000);
  idle.forEach((socket) => socket.destroy());
});

await finish();
