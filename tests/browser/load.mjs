// How the page holds under load; of use with a release build only:
//   FAULTBOOK=target/release/faultbook FAULTBOOK_CLIENTS=target/clients node tests/browser/load.mjs [SECONDS] [CLIENTS]
// Clients that send one log after another, each a little different: without its answer, then with it; then pages read again
// and again. It prints requests per second, waiting times, errors, and the memory of the server.
import { connect } from "node:net";
import { SRUN, example, serve, fail } from "./help.mjs";

const seconds = Number(process.argv[2] ?? 30);
const clients = Number(process.argv[3] ?? 200);
const log = example(SRUN);
let count = 0;

const post = (port) => {
  count += 1;
  const body = `--x\r\nContent-Disposition: form-data; name="text"\r\n\r\nrun ${String(count).padStart(9, "0")}\n${log}\r\n--x--\r\n`;
  return `POST /diagnose HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nContent-Type: multipart/form-data; boundary=x\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
};
const get = (port, path) => `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n\r\n`;

/** One connection that is kept open: sends a request, gives status, head and how long it took. */
class Client {
  constructor(port) {
    this.port = port;
    this.socket = connect(port, "127.0.0.1");
    this.socket.setNoDelay(true);
    this.rest = Buffer.alloc(0);
    this.socket.on("data", (part) => { this.rest = this.rest.length ? Buffer.concat([this.rest, part]) : part; this.look(); });
    this.socket.on("error", (error) => this.done?.({ status: 0, head: error.message }));
    this.socket.on("close", () => this.done?.({ status: 0, head: "closed" }));
  }

  look() {
    const end = this.rest.indexOf("\r\n\r\n");
    if (end < 0) return;
    const head = this.rest.toString("latin1", 0, end);
    const length = Number(head.match(/content-length: (\d+)/i)?.[1] ?? 0);
    if (this.rest.length < end + 4 + length) return;
    this.rest = this.rest.subarray(end + 4 + length);
    this.done?.({ status: Number(head.split(" ")[1]), head, length });
  }

  send(request) {
    return new Promise((done) => { this.done = done; this.socket.write(request); });
  }
}

const measure = async (server, name, wanted, rounds) => {
  const before = server.memory();
  let most = before;
  const times = [];
  const errors = {};
  const cpu = process.cpuUsage();
  const watch = setInterval(() => { most = Math.max(most, server.memory()); }, 200);
  const begun = performance.now();
  const late = () => (rounds ? times.length >= rounds : performance.now() - begun > seconds * 1000);
  const all = Array.from({ length: clients }, () => new Client(server.port));
  await Promise.all(all.map(async (client) => {
    while (!late()) {
      const from = performance.now();
      const answer = await wanted(client);
      times.push(performance.now() - from);
      if (answer.wrong) {
        errors[answer.wrong] = (errors[answer.wrong] ?? 0) + 1;
        if (answer.wrong.startsWith("0 ")) break;
      }
    }
    client.socket.destroy();
  }));
  clearInterval(watch);
  const took = (performance.now() - begun) / 1000;
  times.sort((a, b) => a - b);
  const at = (share) => `${times[Math.min(times.length - 1, Math.floor(times.length * share))].toFixed(0)} ms`;
  const own = process.cpuUsage(cpu);
  console.log(`${name}: ${times.length} in ${took.toFixed(1)} s (${(times.length / took).toFixed(0)} a second), median ${at(0.5)}, p99 ${at(0.99)}, longest ${at(1)}`);
  console.log(`  errors: ${JSON.stringify(errors)}; memory ${before.toFixed(0)} MiB before, ${most.toFixed(0)} at most, ${server.memory().toFixed(0)} after; this client used ${((own.user + own.system) / 1e6 / took).toFixed(2)} processors`);
};

const right = (answer, status) => (answer.status === status ? {} : { wrong: `${answer.status} ${answer.status ? "" : answer.head}` });
const only = process.argv[4];
const part = async (name, run) => { if (!only || name.includes(only)) await run(); };

await part("posts", async () => {
  const server = await serve();
  await measure(server, `${clients} clients that post`, async (client) => right(await client.send(post(client.port)), 303));
  server.stop();
});
await part("answers", async () => {
  const server = await serve();
  await measure(server, `${clients} clients that post and read the answer`, async (client) => {
    const sent = await client.send(post(client.port));
    if (sent.status !== 303) return right(sent, 303);
    return right(await client.send(get(client.port, sent.head.match(/location: (\S+)/i)?.[1] ?? fail("no address"))), 200);
  });
  server.stop();
});
await part("pages", async () => {
  const server = await serve();
  const warm = new Client(server.port);
  const sent = await warm.send(post(server.port));
  const path = sent.head.match(/location: (\S+)/i)[1];
  warm.socket.destroy();
  await measure(server, "the first page, 100,000 times", async (client) => right(await client.send(get(client.port, "/")), 200), 100_000);
  await measure(server, "the first page, 100,000 times again", async (client) => right(await client.send(get(client.port, "/")), 200), 100_000);
  await measure(server, "one answer again and again", async (client) => right(await client.send(get(client.port, path)), 200));
  server.stop();
});
process.exit(0);
