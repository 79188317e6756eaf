// What pages can do beyond forms and links: copy buttons, dropped files, progress of an upload. Everything works without it.
"use strict";

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
    request.addEventListener("error", () => say("The server does not answer: is `faultbook serve` still running?"));
    request.open("POST", form.action);
    request.setRequestHeader("Accept", "text/plain");
    request.send(body);
  };

  form.addEventListener("submit", (event) => {
    const body = new FormData(form);
    let length = 0;
    for (const value of body.values()) length += typeof value === "string" ? value.length : value.size;
    if (length <= 1024 * 1024) return;
    event.preventDefault();
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
  addEventListener("dragover", (event) => { event.preventDefault(); form.classList.add("dropping"); });
  addEventListener("dragleave", (event) => { if (!event.relatedTarget) form.classList.remove("dropping"); });
  addEventListener("drop", (event) => {
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

copyButtons(document);
const log = document.querySelector(".log");
if (log) showFailure(log);
const form = document.querySelector("form.paste");
if (form) pasting(form);
