// The page asks the process once a second for what it knows, and draws it. All text goes in as text, never as markup: names, errors and plans come from users' data.

const $ = (id) => document.getElementById(id);
const every = 1000;

// el makes an element with attributes and children; a string is a text node.
function el(name, attributes, ...children) {
  const e = document.createElement(name);
  for (const [k, v] of Object.entries(attributes ?? {})) {
    if (v !== null && v !== undefined && v !== false) e.setAttribute(k, v);
  }
  e.append(...children);
  return e;
}

const count = new Intl.NumberFormat("en", { maximumFractionDigits: 1 });
const short = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 });
const number = (n) => (n === null || n === undefined ? "–" : count.format(n));
const compact = (n) => (n === null || n === undefined ? "–" : short.format(n));

function bytes(n) {
  if (n === null || n === undefined) return "–";
  const units = ["B", "KiB", "MiB", "GiB", "TiB"];
  let u = 0;
  while (n >= 1024 && u < units.length - 1) {
    n /= 1024;
    u++;
  }
  return `${u ? n.toFixed(1) : n} ${units[u]}`;
}

// span gives a length of time in milliseconds in two units at most.
function span(ms) {
  if (ms === null || ms === undefined) return "–";
  if (ms < 0) return `-${span(-ms)}`;
  if (ms < 1000) return `${Math.round(ms)} ms`;
  const s = ms / 1000;
  if (s < 60) return `${s.toFixed(1)} s`;
  const parts = [[86400, "d"], [3600, "h"], [60, "min"], [1, "s"]];
  const at = parts.findIndex(([size]) => s >= size);
  const whole = Math.floor(s / parts[at][0]);
  const rest = Math.floor((s % parts[at][0]) / parts[at + 1][0]);
  return `${whole} ${parts[at][1]}${rest ? ` ${rest} ${parts[at + 1][1]}` : ""}`;
}

const clock = (ms) => (ms ? new Date(ms).toISOString().replace("T", " ").replace("Z", "") + " UTC" : "–");

async function ask(path, options) {
  const response = await fetch(path, { credentials: "same-origin", ...options });
  if (response.status === 401) {
    location.reload(); // the page that asks for the token
    throw new Error("The token is asked for.");
  }
  const body = response.status === 204 ? null : await response.json().catch(() => null);
  if (!response.ok) throw new Error(body?.error ?? `${response.status} ${response.statusText}`);
  return body;
}

let chosen = "";
let readOnly = false;
let history = [];

function choose() {
  const before = chosen;
  chosen = decodeURIComponent(location.hash.replace(/^#run\//, "")).replace(/^#.*/, "");
  if (before !== chosen) {
    $("plan").replaceChildren();
    refresh();
  }
}

function stateOf(q) {
  if (q.active) return ["runs", "good"];
  return q.exception ? ["failed", "bad"] : ["ended", ""];
}

function drawList(all) {
  const list = $("queries");
  $("none").hidden = all.queries.length > 0;
  const rows = all.queries.map((q) => {
    const [word, tone] = stateOf(q);
    const link = el("a", { href: `#run/${encodeURIComponent(q.runId)}`, "aria-current": q.runId === chosen ? "true" : null },
      el("span", {}, q.label),
      el("small", {}, el("span", { class: tone }, word), ` · ${q.session}`, q.lints.length ? ` · ${q.lints.length} warning${q.lints.length > 1 ? "s" : ""}` : ""),
      el("small", {}, q.last ? `${compact(q.last.processedRate)} rows/s · ${compact(q.last.stateRows)} in state` : "no report yet"));
    return el("li", { "data-run": q.runId }, link);
  });
  // What did not change stays, so that focus and a reader's place stay too.
  const old = [...list.children];
  if (old.length === rows.length && old.every((li, i) => li.dataset.run === rows[i].dataset.run)) {
    old.forEach((li, i) => {
      const to = li.firstChild, from = rows[i].firstChild;
      if (to.outerHTML !== from.outerHTML) {
        to.replaceChildren(...from.childNodes);
        if (from.hasAttribute("aria-current")) to.setAttribute("aria-current", "true");
        else to.removeAttribute("aria-current");
      }
    });
  } else {
    const focused = document.activeElement?.closest?.("li[data-run]")?.dataset.run;
    list.replaceChildren(...rows);
    if (focused) list.querySelector(`li[data-run="${CSS.escape(focused)}"] a`)?.focus();
  }
  const h = $("health");
  h.textContent = all.health.ok ? `Well, ${all.health.active} running` : all.health.problems.join(" ");
  h.className = all.health.ok ? "good" : "bad";
}

// chart draws series over the reports: each {name, class, values, text}. Values that are null leave a gap.
function chart(title, times, series, text) {
  const values = series.flatMap((s) => s.values.filter((v) => v !== null));
  if (values.length === 0) return null;
  const top = Math.max(...values, 0), bottom = Math.min(...values, 0);
  const height = top - bottom || 1;
  const first = times[0], last = times[times.length - 1];
  // Reports within one millisecond stand beside each other.
  const x = last > first ? (i) => ((times[i] - first) / (last - first)) * 100 : (i) => (times.length > 1 ? (i / (times.length - 1)) * 100 : 50);
  const ns = "http://www.w3.org/2000/svg";
  const svg = document.createElementNS(ns, "svg");
  svg.setAttribute("viewBox", "0 0 100 100");
  svg.setAttribute("preserveAspectRatio", "none");
  svg.setAttribute("role", "img");
  const now = series.map((s) => `${s.name} ${text(s.values[s.values.length - 1])}`).join(", ");
  svg.setAttribute("aria-label", `${title}: now ${now}; between ${text(bottom)} and ${text(top)}`);
  for (const y of [2, 50, 98]) {
    const line = document.createElementNS(ns, "line");
    for (const [k, v] of Object.entries({ x1: 0, x2: 100, y1: y, y2: y, class: "grid" })) line.setAttribute(k, v);
    svg.append(line);
  }
  for (const s of series) {
    let points = [];
    const flush = () => {
      if (points.length === 0) return;
      if (points.length === 1) points.push([points[0][0] + 0.5, points[0][1]]);
      const line = document.createElementNS(ns, "polyline");
      line.setAttribute("points", points.map((p) => p.map((n) => n.toFixed(2)).join(",")).join(" "));
      line.setAttribute("class", s.class);
      svg.append(line);
      points = [];
    };
    s.values.forEach((v, i) => {
      if (v === null) return flush();
      points.push([x(i), 98 - ((v - bottom) / height) * 96]);
    });
    flush();
  }
  const caption = el("figcaption", {}, el("strong", {}, title));
  for (const s of series) caption.append(el("span", { class: `key ${s.class}` }, `${s.name} ${text(s.values[s.values.length - 1])}`));
  const scale = el("div", { class: "scale", "aria-hidden": "true" }, el("span", {}, new Date(first).toLocaleTimeString()), el("span", {}, `at most ${text(top)}`), el("span", {}, new Date(last).toLocaleTimeString()));
  return el("figure", {}, caption, svg, scale);
}

function drawCharts() {
  const at = history.map((p) => p.time);
  const of = (f) => history.map((p) => f(p) ?? null);
  const out = [];
  if (history.length) {
    out.push(chart("Rows per second", at, [
      { name: "in", class: "c1", values: of((p) => p.inputRate) },
      { name: "done", class: "c2", values: of((p) => p.processedRate) },
    ], compact));
    // The largest phases by their sum; what is left is one more.
    const sums = new Map();
    for (const p of history) for (const [k, v] of Object.entries(p.phases ?? {})) sums.set(k, (sums.get(k) ?? 0) + v);
    const phases = [...sums].sort((a, b) => b[1] - a[1] || a[0].localeCompare(b[0])).slice(0, 4).map(([k]) => k);
    out.push(chart("Epoch by phase", at, [
      { name: "whole", class: "c6", values: of((p) => p.duration) },
      ...phases.map((k, i) => ({ name: k, class: `c${i + 1}`, values: of((p) => p.phases?.[k] ?? 0) })),
    ], span));
    if (history.some((p) => p.watermark)) {
      out.push(chart("Watermark behind the clock", at, [{ name: "behind", class: "c4", values: of((p) => (p.watermark ? p.time - p.watermark : null)) }], span));
    }
    out.push(chart("State rows", at, [{ name: "rows", class: "c3", values: of((p) => p.stateRows) }], compact));
    out.push(chart("State in memory", at, [{ name: "bytes", class: "c3", values: of((p) => p.stateBytes) }], bytes));
    out.push(chart("Late rows", at, [{ name: "rows", class: "c5", values: of((p) => p.lateRows) }], compact));
    if (history.some((p) => p.behind !== null)) {
      out.push(chart("Sources behind", at, [{ name: "behind", class: "c2", values: of((p) => p.behind) }], compact));
    }
  }
  $("charts").replaceChildren(...out.filter(Boolean));
}

function rows(id, list, nothing, width) {
  $(id).replaceChildren(...(list.length ? list : [el("tr", {}, el("td", { colspan: width }, nothing))]));
}

const cell = (text, kind) => el("td", { class: kind }, text);
const brief = (text) => (text.length > 200 ? `${text.slice(0, 200)}…` : text);

function drawQuery(d) {
  const q = d.query;
  history = d.history;
  $("choose").hidden = true;
  $("query").hidden = false;
  $("label").textContent = q.label;
  const [word, tone] = stateOf(q);
  $("state").textContent = word;
  $("state").className = `badge ${tone}`;
  $("stop").hidden = !q.active || readOnly;
  $("plan-load").disabled = $("plan-analyze").disabled = !q.active;
  $("message").textContent = d.status ? d.status.message : q.ended ? `Ended ${clock(q.ended)}` : "";
  $("failure").hidden = !q.exception;
  $("failure-class").textContent = q.errorClass || "Failure";
  $("failure-text").textContent = q.exception;
  $("lints").hidden = q.lints.length === 0;
  $("lint-list").replaceChildren(...q.lints.map((l) => el("li", {}, el("strong", {}, `${l.code} ${l.title}. `), `${l.what} ${l.fix}`, l.at ? ` (${l.at})` : "")));
  const p = q.last;
  const facts = [["Session", q.session], ["Id", q.id], ["Run", q.runId], ["Started", clock(q.started)], ["Rows read", number(q.inputRows)], ["Late rows", number(q.lateRows)]];
  if (p) {
    facts.push(["Batch", number(p.batchId)], ["Epoch", span(p.duration)], ["Rows per second", number(p.processedRate)], ["State rows", number(p.stateRows)], ["State in memory", bytes(p.stateBytes)]);
    if (p.watermark) facts.push(["Watermark", clock(p.watermark)], ["Behind the clock", span(d.now - p.watermark)]);
    if (p.behind !== null) facts.push(["Sources behind", number(p.behind)]);
  }
  $("facts").replaceChildren(...facts.map(([k, v]) => el("div", {}, el("dt", {}, k), el("dd", {}, v))));
  drawCharts();
  const latest = d.latest;
  rows("sources", (latest?.sources ?? []).map((s, i) => el("tr", {}, cell(s.description, "wide"), cell(number(s.numInputRows), "number"), cell(number(s.inputRowsPerSecond), "number"),
    cell(number(s.processedRowsPerSecond), "number"), cell(number(d.behind[i]), "number"),
    cell(s.endOffset === null || s.endOffset === undefined ? "–" : brief(JSON.stringify(s.endOffset)), "wide"))), "No report yet.", 6);
  rows("operators", (latest?.stateOperators ?? []).map((s) => el("tr", {}, cell(s.operatorName), cell(number(s.numRowsTotal), "number"), cell(number(s.numRowsUpdated), "number"),
    cell(number(s.numRowsRemoved), "number"), cell(number(s.numRowsDroppedByWatermark), "number"), cell(bytes(s.memoryUsedBytes), "number"))), latest ? "This query keeps no state." : "No report yet.", 6);
  $("json").textContent = latest ? JSON.stringify(latest, null, 2) : "";
}

function operator(o) {
  // Spark and the local engine put the stage before the name: *(1).
  const name = o.text.match(/^(\*\(\d+\) )?\S*/)[0];
  const box = el("span", { class: "operator" }, el("span", { class: "name" }, name), o.text.slice(name.length));
  if (o.metrics?.length) box.append(el("span", { class: "metrics" }, o.metrics.join(" · ")));
  for (const l of o.lines ?? []) box.append(el("span", { class: "more" }, l));
  const li = el("li", {}, box);
  if (o.inputs?.length) li.append(el("ul", {}, ...o.inputs.map(operator)));
  return li;
}

async function drawPlan(analyze) {
  const run = chosen;
  const place = $("plan");
  place.replaceChildren(analyze ? "Waiting for an epoch …" : "Asking …");
  try {
    const plan = await ask(`api/queries/${encodeURIComponent(run)}/plan${analyze ? "?analyze=true" : ""}`);
    if (run !== chosen) return;
    const parts = plan.sections.flatMap((s) => [
      el("h4", {}, s.title),
      ...(s.note ? [el("p", {}, s.note)] : []),
      s.root ? el("ul", { class: "plan" }, operator(s.root)) : el("pre", { tabindex: "0" }, s.text),
    ]);
    place.replaceChildren(...parts);
  } catch (e) {
    if (run === chosen) place.replaceChildren(el("p", { class: "error" }, e.message));
  }
}

let busy = false, again = false;

async function refresh() {
  if (busy) {
    again = true;
    return;
  }
  busy = true;
  try {
    const all = await ask("api/queries");
    readOnly = all.readOnly;
    if (!chosen && all.queries.length === 1) {
      chosen = all.queries[0].runId;
      window.history.replaceState(null, "", `#run/${encodeURIComponent(chosen)}`);
    }
    drawList(all);
    if (chosen) {
      const run = chosen;
      const d = await ask(`api/queries/${encodeURIComponent(run)}`);
      if (run === chosen) drawQuery(d);
    } else {
      $("query").hidden = true;
      $("choose").hidden = all.queries.length === 0;
    }
    $("lost").hidden = true;
  } catch (e) {
    $("lost").textContent = `No answer: ${e.message}`;
    $("lost").hidden = false;
  } finally {
    busy = false;
  }
  if (again) {
    again = false;
    await refresh();
  }
}

addEventListener("hashchange", () => {
  choose();
  $("detail").focus({ preventScroll: matchMedia("(min-width: 46rem)").matches });
});
document.addEventListener("visibilitychange", () => {
  if (!document.hidden) refresh();
});
$("plan-load").addEventListener("click", () => drawPlan(false));
$("plan-analyze").addEventListener("click", () => drawPlan(true));
$("stop").addEventListener("click", () => {
  $("confirm-title").textContent = `Stop ${$("label").textContent}?`;
  $("confirm-error").hidden = true;
  $("confirm").showModal();
});
$("confirm-yes").addEventListener("click", async (event) => {
  event.preventDefault(); // the dialog closes when the query has ended
  const yes = $("confirm-yes");
  yes.disabled = true;
  try {
    await ask(`api/queries/${encodeURIComponent(chosen)}/stop`, { method: "POST" });
    $("confirm").close();
    refresh();
  } catch (e) {
    $("confirm-error").textContent = e.message;
    $("confirm-error").hidden = false;
  } finally {
    yes.disabled = false;
  }
});
choose();
refresh();
setInterval(() => {
  if (!document.hidden) refresh();
}, every);
