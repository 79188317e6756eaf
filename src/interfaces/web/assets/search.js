// Search as people type: on the server's page its answers, on a site of files an index. `/` goes to the field, arrows go
// through the results.
"use strict";

{
  const field = document.querySelector("header.bar input[type=search]");
  const results = document.getElementById("results");

  const hits = () => [...results.querySelectorAll("li > p:first-child > a, li > a")];

  const move = (step) => {
    const all = hits();
    const at = all.indexOf(document.activeElement);
    if (at + step < 0) field.focus();
    else all[Math.min(at + step, all.length - 1)]?.focus();
  };

  addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const inText = event.target.matches("input, textarea, select, [contenteditable]");
    if (event.key === "/" && !inText) {
      event.preventDefault();
      field.focus();
      field.select();
    } else if (results && (event.key === "ArrowDown" || event.key === "ArrowUp")) {
      const inHits = hits().includes(event.target);
      if (event.target !== field && !inHits) return;
      event.preventDefault();
      move(event.key === "ArrowDown" ? 1 : -1);
    }
  });

  const say = (query) => {
    const address = new URL(location.href);
    address.search = query ? `?${new URLSearchParams({ q: query })}` : "";
    history.replaceState(null, "", address);
    document.title = query ? `Search: ${query}` : "Search";
    const heading = document.querySelector("main h1");
    heading.textContent = document.title;
  };

  const whenStill = (act) => {
    let timer = 0;
    field.addEventListener("input", () => {
      clearTimeout(timer);
      timer = setTimeout(act, 120);
    });
  };

  const fromServer = (place) => {
    let asked = null;
    const ask = async () => {
      asked?.abort();
      const mine = asked = new AbortController();
      const query = field.value.trim();
      try {
        const answer = await fetch(`${place}?${new URLSearchParams({ q: query, part: "1" })}`, { signal: mine.signal });
        if (!answer.ok) return;
        // The server's own markup, in which everything else is escaped.
        const page = new DOMParser().parseFromString(await answer.text(), "text/html");
        if (mine.signal.aborted) return;
        results.replaceChildren(...page.body.childNodes);
        if (typeof copyButtons === "function") copyButtons(results);
        say(query);
      } catch { /* a newer question, or the server is gone: what was found stays */ }
    };
    whenStill(ask);
  };

  const KINDS = [["report", "Reports"], ["page", "Failures"], ["fix", "Fixes"], ["code", "Codes"], ["harmless", "Looks bad, is harmless"]];
  const MOST = 20;

  const fromIndex = (place) => {
    const everything = [...results.childNodes];
    let index = null;
    const make = (name, parts, className) => {
      const element = document.createElement(name);
      if (className) element.className = className;
      element.append(...parts);
      return element;
    };
    const escaped = (word) => word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
    const marked = (text, any) => text.split(any).map((part, at) => at % 2 ? make("mark", [part]) : part);
    const score = (entry, words) => {
      let sum = 0;
      for (const word of words) {
        const [title, id, said] = [entry.t, entry.i, entry.w].map((text) => text.toLowerCase());
        const own = id === word ? 12 : id.includes(word) ? 5 : 0;
        const best = Math.max(own, title.split(/[^\p{L}\p{N}_]+/u).includes(word) ? 6 : title.includes(word) ? 4 : 0, said.includes(word) ? 2 : 0);
        if (best === 0) return 0;
        sum += best;
      }
      return sum;
    };
    const show = () => {
      const query = field.value.trim();
      const words = query.toLowerCase().split(/\s+/).filter(Boolean);
      say(query);
      if (words.length === 0) {
        results.replaceChildren(...everything);
        return;
      }
      const any = new RegExp(`(${words.map(escaped).sort((a, b) => b.length - a.length).join("|")})`, "giu");
      const found = index.map((entry) => [score(entry, words), entry]).filter(([sum]) => sum > 0).sort(([a], [b]) => b - a);
      const said = make("p", [found.length === 1 ? "1 result" : `${found.length || "No"} results`], "hint");
      said.setAttribute("role", "status");
      const groups = KINDS.map(([kind, title]) => [title, found.filter(([, entry]) => entry.k === kind)]).filter(([, all]) => all.length > 0);
      groups.sort(([, a], [, b]) => b[0][0] - a[0][0]);
      const sections = groups.map(([title, all]) => {
        const items = all.slice(0, MOST).map(([, entry]) => {
          const link = make("a", marked(entry.t, any));
          link.href = entry.a;
          const item = make("li", [make("p", [link, " ", make("span", [entry.i], "id")])]);
          if (entry.w) item.append(make("p", marked(entry.w.length > 200 ? `${entry.w.slice(0, 200)}…` : entry.w, any), "snippet"));
          return item;
        });
        return make("section", [make("h2", [title]), make("ol", items, "hits")]);
      });
      results.replaceChildren(said, ...sections);
    };
    // From the disk, browsers read no other file: then the titles on the page are the index.
    const ofPage = () => [...results.querySelectorAll("li")].map((item) => {
      const link = item.querySelector("a");
      const kind = { "found-reports": "report", "found-pages": "page", "found-fixes": "fix", "found-codes": "code" };
      const of = item.closest("section")?.getAttribute("aria-labelledby");
      return { k: kind[of] ?? "harmless", t: link.textContent, a: link.getAttribute("href"), i: item.querySelector(".id")?.textContent ?? "", w: "" };
    });
    const start = (all) => {
      index = all;
      whenStill(show);
      field.form.addEventListener("submit", (event) => { event.preventDefault(); show(); });
      if (field.value.trim()) show();
    };
    field.value ||= new URLSearchParams(location.search).get("q") ?? "";
    fetch(place).then((answer) => answer.ok ? answer.json() : ofPage()).catch(ofPage).then(start);
  };

  if (field && results?.dataset.search) fromServer(results.dataset.search);
  if (field && results?.dataset.index) fromIndex(results.dataset.index);
}
