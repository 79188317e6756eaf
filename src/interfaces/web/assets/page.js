// What pages can do beyond forms and links: copy buttons, dropped files, progress of an upload. Everything works without it.
"use strict";

const silent = "The server does not answer: is `faultbook serve` still running?";

const copyButtons = (root) => {
  for (const block of root.querySelectorAll("pre.command:not(:has(.copy))")) {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "copy";
    button.textContent = "Copy";
    const text = block.textContent;
    button.addEventListener("click", async () => {
      try {
        await navigator.clipboard.writeText(text);
        button.textContent = "Copied";
      } catch {
        const range = document.createRange();
        range.selectNodeContents(block.querySelector("code"));
        getSelection().removeAllRanges();
        getSelection().addRange(range);
        button.textContent = "Selected";
      }
      setTimeout(() => { button.textContent = "Copy"; }, 2000);
    });
    block.append(button);
  }
};

// The paste form: files that are dropped anywhere on the page, and how far an upload is.
const pasting = (form) => {
  const largest = Number(form.dataset.largest) * 1024 * 1024;
  const said = form.querySelector(".progress");
  const text = form.elements.text;
  const say = (words) => { said.hidden = !words; said.textContent = words; };

  // A long text is sent by hand, so that its progress can be shown.
  const send = (body) => {
    const request = new XMLHttpRequest();
    request.upload.addEventListener("progress", (event) => {
      const mib = (bytes) => (bytes / 1024 / 1024).toFixed(0);
      say(`${mib(event.loaded)} of ${mib(event.total)} MiB sent`);
    });
    request.upload.addEventListener("load", () => say("Reading it ..."));
    request.addEventListener("load", () => {
      const address = request.getResponseHeader("Location");
      if (address) {
        location.href = address;
        return;
      }
      const page = new DOMParser().parseFromString(request.responseText, "text/html");
      say(page.querySelector(".lead")?.textContent ?? `The server answered ${request.status}.`);
    });
    request.addEventListener("error", () => say(silent));
    request.open("POST", form.action);
    request.setRequestHeader("Accept", "text/plain");
    request.send(body);
  };

  // A short one is answered in this document.
  const ask = async (body, button) => {
    button.disabled = true;
    try {
      const response = await fetch(form.action, { method: "POST", body });
      const page = new DOMParser().parseFromString(await response.text(), "text/html");
      if (response.ok && response.redirected) {
        say("");
        turnTo(response.url, page);
      } else say(page.querySelector(".lead")?.textContent ?? `The server answered ${response.status}.`);
    } catch {
      say(silent);
    }
    button.disabled = false;
  };

  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const button = form.querySelector("button.primary");
    if (button.disabled) return;
    const body = new FormData(form);
    let length = 0;
    for (const value of body.values()) length += typeof value === "string" ? value.length : value.size;
    if (length <= 1024 * 1024) {
      say("Reading it ...");
      ask(body, button);
      return;
    }
    if (length > largest) {
      say(`This is longer than ${form.dataset.largest} MiB: send the part around the failure, or run \`faultbook FILE\`.`);
      return;
    }
    say("Sending it ...");
    send(body);
  });
  text.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) form.requestSubmit();
  });
  form.querySelector(".drops").hidden = false;
  addEventListener("dragover", (event) => {
    if (!form.isConnected) return;
    event.preventDefault();
    form.classList.add("dropping");
  });
  addEventListener("dragleave", (event) => { if (!event.relatedTarget) form.classList.remove("dropping"); });
  addEventListener("drop", (event) => {
    if (!form.isConnected) return;
    event.preventDefault();
    form.classList.remove("dropping");
    if (event.dataTransfer.files.length === 0) return;
    const all = new DataTransfer();
    for (const one of [...form.elements.file.files, ...event.dataTransfer.files]) all.items.add(one);
    form.elements.file.files = all.files;
    form.requestSubmit();
  });
};

// The failure is in sight when its text is opened, not only the beginning.
const showFailure = (log) => {
  const failure = log.querySelector("p.failure");
  if (!failure || location.hash) return;
  const below = failure.getBoundingClientRect().bottom - log.getBoundingClientRect().top - log.clientHeight;
  if (below > 0) log.scrollTop = below + log.clientHeight / 2;
};

// Answers take the place of the form in this document, because a browser needs longer for a new document than the answer
// needs. Back finds the form as it was left.
const views = new Map();
const address = () => location.href.split("#")[0];
let shown = address();
const show = (view) => {
  const main = document.getElementById("main");
  views.set(shown, { main, title: document.title, down: scrollY, inLog: main.querySelector(".log")?.scrollTop });
  main.replaceWith(view.main);
  document.title = view.title;
  shown = address();
  scrollTo(0, view.down);
  // What is taken out of a document forgets where it was scrolled to.
  if (view.inLog) view.main.querySelector(".log").scrollTop = view.inLog;
};
const turnTo = (url, page) => {
  // What stays keeps its targets, though they are written relative to the old address.
  for (const link of document.querySelectorAll("link[rel=icon], header.bar a")) link.href = link.href;
  for (const form of document.querySelectorAll("header.bar form")) form.action = form.action;
  history.pushState(null, "", url);
  const main = page.getElementById("main");
  show({ main, title: page.title, down: 0 });
  ready(main);
  const heading = main.querySelector("h1");
  heading.tabIndex = -1;
  heading.focus({ preventScroll: true });
};
addEventListener("popstate", () => {
  if (address() === shown) return;
  if (views.has(address())) show(views.get(address()));
  else location.reload();
});

// The machine: parts of the page are replaced as the server sends them, while the page can be seen.
const watching = (panel) => {
  const said = panel.querySelector(".connection");
  let source = null;
  const open = () => {
    source = new EventSource(panel.dataset.events);
    source.addEventListener("open", () => { said.textContent = "Live, every 2 seconds."; });
    source.addEventListener("error", () => { said.textContent = "The server does not answer; trying again."; });
    for (const name of ["gpus", "details", "checks"]) {
      source.addEventListener(name, (event) => {
        const part = document.getElementById(name);
        const focused = part.contains(document.activeElement);
        part.innerHTML = event.data;
        if (focused) part.querySelector("button, a")?.focus();
      });
    }
  };
  const shown = () => {
    if (document.hidden) { source?.close(); source = null; } else if (!source) open();
  };
  document.addEventListener("visibilitychange", shown);
  addEventListener("pagehide", () => { source?.close(); source = null; });
  addEventListener("pageshow", shown);
  shown();
};

// An answer's causes move to where a measurement puts them.
const still = matchMedia("(prefers-reduced-motion: reduce)");
const moveCauses = (before, root) => {
  const start = root.querySelector(".causes")?.getBoundingClientRect().top;
  for (const cause of root.querySelectorAll(".cause")) {
    const old = before.get(cause.dataset.cause);
    const level = cause.querySelector(".level");
    if (!old || still.matches) continue;
    const away = old.top - (cause.getBoundingClientRect().top - start);
    const timing = { duration: 700, easing: "ease-in-out" };
    if (away) cause.animate([{ transform: `translateY(${away}px)` }, { transform: "none" }], timing);
    if (level && old.width) level.animate([{ width: `${old.width}px` }, { width: `${level.getAttribute("width")}px` }], timing);
  }
};
const asking = (ask) => {
  ask.addEventListener("submit", async (event) => {
    event.preventDefault();
    const button = event.submitter;
    const said = ask.querySelector(".progress");
    const say = (words) => { said.hidden = false; said.textContent = words; };
    const buttons = ask.querySelectorAll("button");
    const body = new URLSearchParams({ level: button.value });
    for (const one of buttons) one.disabled = true;
    say(button.value === "functional" ? "The checks run: some seconds for each GPU ..." : "Asking ...");
    try {
      const response = await fetch(ask.action, { method: "POST", body });
      const page = new DOMParser().parseFromString(await response.text(), "text/html");
      const fresh = page.getElementById("answer");
      if (!fresh) throw new Error(page.querySelector(".lead")?.textContent ?? `The server answered ${response.status}.`);
      const answer = document.getElementById("answer");
      const before = new Map();
      const start = answer.querySelector(".causes")?.getBoundingClientRect().top;
      for (const cause of answer.querySelectorAll(".cause")) {
        before.set(cause.dataset.cause, {
          top: cause.getBoundingClientRect().top - start,
          width: Number(cause.querySelector(".level")?.getAttribute("width")),
          open: cause.querySelector("details").open,
        });
      }
      answer.replaceWith(fresh);
      ready(fresh);
      for (const cause of fresh.querySelectorAll(".cause")) {
        const old = before.get(cause.dataset.cause);
        if (old?.open) cause.querySelector("details").open = true;
      }
      moveCauses(before, fresh);
      fresh.querySelector(".verify").scrollIntoView({ behavior: still.matches ? "auto" : "smooth" });
      fresh.querySelector("form.ask").querySelector(`button[value="${button.value}"], button`)?.focus({ preventScroll: true });
    } catch (error) {
      say(error instanceof TypeError ? silent : error.message);
      for (const one of buttons) one.disabled = false;
    }
  });
};

// A draft's markdown without its line numbers and findings.
const copying = (button) => {
  button.hidden = false;
  button.addEventListener("click", async () => {
    const lines = document.getElementById(button.dataset.copy).querySelectorAll("p[id] > code");
    await navigator.clipboard.writeText(Array.from(lines, (line) => `${line.textContent}\n`).join(""));
    button.textContent = "Copied";
  });
};

// Gives the parts of a page, or of what is put into it, what they can do.
const ready = (root) => {
  copyButtons(root);
  const each = (selector, act) => root.querySelectorAll(selector).forEach(act);
  each(".log", showFailure);
  each("form.paste", pasting);
  each("[data-events]", watching);
  each("form.ask", asking);
  each("[data-copy]", copying);
};
ready(document);
