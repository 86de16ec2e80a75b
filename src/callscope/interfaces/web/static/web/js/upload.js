// The upload page: a few files at a time to POST /api/files/, each with its progress; what the project has by
// name is left out; after a break it asks which files arrived and goes on; states are polled until all are final.
import { outage, toast, token, unsay } from "./app.js";
import { findFolder, offerDrop } from "./drop.js";
import { MEGABYTE, sizeOf } from "./file_size.js";
import { warnOnLeaving } from "./leaving.js";
import { askJson, inOurWords, NoAnswer, renewToken, sentences } from "./server.js";
import { watchManifest } from "./manifest_rows.js";

const AT_A_TIME = 3;
const NAMES_A_QUESTION = 500;
const NAMES_SAID = 3; // of files that failed again
const POLL_MS = 2000;
const FIRST_PAUSE_MS = 2000;
const LONGEST_PAUSE_MS = 60000;
const CALM = { done: "check", transcribed: "check", failed: "warning", partly: "warning", refused: "warning", broken: "warning", there: "info", sending: "upload" };

const page = document.getElementById("upload");
if (page) start(page);

function start(page) {
  const text = Object.fromEntries(Object.entries(page.dataset).filter(([key]) => key.startsWith("text")).map(([key, value]) => [key[4].toLowerCase() + key.slice(5), value]));
  const part = (name, root = page) => root.querySelector(`[data-${name}]`);
  const project = Number(page.dataset.project);
  const icons = Object.fromEntries([...part("icons").content.children].map((named) => [named.dataset.icon, named.firstElementChild]));
  const fill = (words, values) => words.replace(/\{(\w+)\}/g, (_, name) => values[name]);
  const rows = [];
  let pause = FIRST_PAUSE_MS;
  let pausedUntil = 0;
  let pumping = 0;
  let polling = 0;
  let signedOut = false;
  let onlyFailed = false; // are listed

  // What is dropped or chosen -----------------------------------------------------------------------------

  async function add(files) {
    const manifests = files.filter((file) => /\.csv$/i.test(file.name));
    const added = files.filter((file) => !manifests.includes(file) && !file.name.startsWith(".")).map(newRow);
    for (const file of manifests) await manifest.send(file);
    if (!added.length) return;
    part("list").hidden = false;
    for (let at = 0; at < added.length; at += NAMES_A_QUESTION) {
      const some = added.slice(at, at + NAMES_A_QUESTION);
      await learn(some, (row, known) => change(row, isThere(row, known) ? { state: "there", server: known } : { before: known?.id }));
      for (const row of some) {
        if (row.state !== "asking") continue;
        const twin = rows.find((each) => each !== row && each.name === row.name && ["queued", "sending", "sent", "broken"].includes(each.state));
        change(row, twin ? { state: "refused", reason: text.twin } : { state: "queued" }); // it would replace the other one
        for (const each of twin ? [row, twin] : []) part("name", each.element).textContent = findFolder(each.file) + each.name;
      }
      pump();
    }
    watch();
  }

  // A failed file that has another size now has been corrected: it is sent.
  const isThere = (row, known) => known && !(known.state === "failed" && known.size !== row.file.size);

  function newRow(file) {
    const element = part("row").content.cloneNode(true).firstElementChild;
    const row = { file, name: file.name, element, state: "asking", server: null, reason: "", sent: 0, retries: 0 };
    part("name", element).textContent = file.name;
    part("size", element).textContent = sizeOf(file);
    part("do", element).addEventListener("click", () => act(row));
    rows.push(row);
    part("rows").append(element);
    if (file.size === 0) change(row, { state: "refused", reason: text.empty });
    else if (file.size > Number(page.dataset.maxMb) * MEGABYTE) change(row, { state: "refused", reason: text.tooLarge });
    else draw(row);
    return row;
  }

  /** Ask how far these files are in the project; keeps asking until the server answers. */
  async function learn(some, tell) {
    const asked = some.filter((row) => row.state !== "refused");
    while (asked.length && !signedOut) {
      try {
        const { files } = await askJson(page.dataset.states, { method: "POST", json: { project, names: asked.map((row) => row.name) } });
        outage(false);
        for (const row of asked) tell(row, files[row.name]);
        return;
      } catch (error) {
        if (!(error instanceof NoAnswer)) throw error;
        if (error.status === 401 || error.status === 403) return leave();
        if (error.status === 400 || error.status === 404) return;
        outage(true);
        await new Promise((done) => setTimeout(done, POLL_MS * 2));
      }
    }
  }

  // Sending -----------------------------------------------------------------------------------------------

  function pump() {
    clearTimeout(pumping);
    if (signedOut) return;
    const wait = pausedUntil - Date.now();
    if (wait > 0) {
      pumping = setTimeout(pump, wait);
      return;
    }
    let free = AT_A_TIME - rows.filter((row) => row.state === "sending").length;
    for (const row of rows) {
      if (free <= 0) break;
      if (row.state === "queued") {
        free -= 1;
        send(row);
      } else if (row.state === "broken") {
        free -= 1;
        change(row, { state: "asking", reason: "" });
        // It may have arrived although the answer was lost.
        learn([row], (each, known) => {
          const arrived = known && known.id > (each.before ?? 0);
          change(each, arrived ? { state: "sent", server: known } : { state: "queued" });
        }).then(() => {
          if (row.state === "asking") change(row, { state: "queued" }); // sending it tells what is wrong
          pump();
          watch();
        });
      }
    }
  }

  function send(row) {
    change(row, { state: "sending", sent: 0, reason: "" });
    const form = new FormData();
    form.append("project", String(project));
    form.append("file", row.file, row.name);
    const request = new XMLHttpRequest();
    request.open("POST", page.dataset.files);
    request.setRequestHeader("X-CSRFToken", token());
    request.setRequestHeader("Accept", "application/json");
    request.upload.addEventListener("progress", (event) => {
      row.sent = event.lengthComputable && event.total ? event.loaded / event.total : 0;
      row.element.querySelector("progress").value = row.sent;
    });
    request.addEventListener("load", () => answered(row, request));
    for (const end of ["error", "abort", "timeout"]) request.addEventListener(end, () => lost(row));
    request.send(form);
  }

  function answered(row, request) {
    let body = null;
    try { body = JSON.parse(request.responseText); } catch { /* a proxy's page */ }
    if (request.status === 201 && body) {
      pause = FIRST_PAUSE_MS;
      row.hasRenewed = false;
      change(row, { state: "sent", server: { id: body.id, state: "waiting", label: text.sent, kind: "dim", final: false } });
      watch();
    } else if (request.status === 401) {
      change(row, { state: "broken", reason: text.signedOut });
      leave();
    } else if (request.status === 403 && !row.hasRenewed) { // the page's token may be that of an earlier session
      change(row, { state: "asking", hasRenewed: true });
      renewToken().then((isIn) => (isIn ? change(row, { state: "queued" }) : leave()), () => rest(row, pause, text.resumes)).then(pump);
    } else if (request.status === 429 || request.status >= 500) {
      const asked = Number(request.getResponseHeader("Retry-After")) * 1000;
      rest(row, asked || pause, request.status === 429 ? text.busy : text.resumes);
    } else {
      const said = sentences(body);
      change(row, { state: "refused", reason: said.join(" ") || text.broken });
      translated(said).then((lines) => lines.length && change(row, { reason: lines.join(" ") }));
    }
    pump();
  }

  const translated = (lines, options) => inOurWords(page.dataset.sentences, lines, options);
  const manifest = watchManifest({ page, part, text, icons, fill, translated, project });

  async function lost(row) {
    try {
      await row.file.slice(0, 1).arrayBuffer();
      rest(row, pause, text.resumes);
    } catch {
      change(row, { state: "refused", reason: text.unreadable });
    }
    pump();
  }

  function rest(row, wait, reason) {
    change(row, { state: "broken", reason });
    pausedUntil = Date.now() + wait;
    pause = Math.min(pause * 2, LONGEST_PAUSE_MS);
  }

  function leave() {
    if (!signedOut) toast(text.signedOut, "bad", { label: text.signIn, href: page.dataset.signIn });
    signedOut = true;
    for (const row of rows) if (row.state === "asking") change(row, { state: "broken", reason: text.signedOut });
  }

  /** Go on by itself once somebody has signed in in another tab. */
  async function comeBack() {
    if (!signedOut || document.hidden) return;
    try {
      if (!(await renewToken())) return;
    } catch (error) {
      if (error instanceof NoAnswer) return;
      throw error;
    }
    signedOut = false;
    unsay(text.signedOut);
    pump();
    watch();
  }
  document.addEventListener("visibilitychange", comeBack);
  window.addEventListener("focus", comeBack);

  // What a row's button does ------------------------------------------------------------------------------

  const canAgain = (row) => row.state === "there" && row.server.final;
  const canRetry = (row) => Boolean(row.server?.task) && ["there", "sent"].includes(row.state);

  async function act(row) {
    if (canRetry(row)) return retry(row);
    if (canAgain(row)) again(row);
    pump();
  }

  function again(row) {
    change(row, { state: "queued", before: row.server.id, server: null, retries: 0 });
  }

  async function retry(row) {
    const task = row.server.task;
    const asked = { ...row.server, task: "", state: "waiting", label: text.sent, kind: "dim", reason: "", final: false };
    change(row, { retries: row.retries + 1, isAsking: true, server: asked });
    try {
      await askJson(`${page.dataset.tasks}${encodeURIComponent(task)}/retry/`, { method: "POST" });
    } catch (error) {
      if (error.status !== 409) {
        row.retries -= 1;
        toast(error.message || document.body.dataset.textFailed, "bad");
      }
    }
    row.isAsking = false; // what the server said before is of the attempt before
    watch();
  }

  /** Take what the server says of files under way; of retried ones that failed again say it once. */
  function take(news) {
    for (const [row, server] of news) change(row, { server });
    const again = news.map(([row]) => row).filter(failedAgain).map((row) => row.name);
    const rest = again.length - NAMES_SAID;
    if (again.length) toast([fill(text.filesFailedAgain, { names: again.slice(0, NAMES_SAID).join(", ") }), ...(rest > 0 ? [fill(text.more, { count: rest })] : [])].join(" "), "bad");
  }

  const failedAgain = (row) => row.retries > 0 && ["failed", "partly"].includes(row.server?.state);

  part("retry-all").addEventListener("click", () => rows.filter(canRetry).forEach(retry));
  part("again-all").addEventListener("click", () => { rows.filter((row) => canAgain(row) && !canRetry(row)).forEach(again); pump(); });

  // Watching ----------------------------------------------------------------------------------------------

  const open = () => rows.filter((row) => ["sent", "there"].includes(row.state) && !row.server.final);

  function watch() {
    if (!polling && open().length) polling = setTimeout(poll, POLL_MS);
  }

  async function poll() {
    const left = open();
    await manifest.renew();
    for (let at = 0; at < left.length; at += NAMES_A_QUESTION) {
      const news = [];
      await learn(left.slice(at, at + NAMES_A_QUESTION), (row, known) => known && known.id >= row.server.id && !row.isAsking && news.push([row, known]));
      take(news);
    }
    if (page.dataset.status) await showWhole();
    polling = 0;
    if (!signedOut) watch();
  }

  async function showWhole() {
    try {
      const status = await askJson(page.dataset.status);
      const counts = Object.values(status.analysis_status.calls_analysis_insights ?? {});
      const line = part("whole");
      line.hidden = false;
      const failed = status.analysis_status.calls_analysis_insights?.failed ?? 0;
      const words = failed ? line.dataset.textFailed : line.dataset.text;
      line.textContent = fill(words, { done: status.analyzed_calls, all: counts.reduce((a, b) => a + b, 0), failed });
    } catch (error) {
      if (!(error instanceof NoAnswer)) throw error;
    }
  }

  // Drawing -----------------------------------------------------------------------------------------------

  function change(row, values) {
    Object.assign(row, values);
    draw(row);
  }

  function draw(row) {
    const { state, server, element } = row;
    const shown = state === "sent" ? server.state : state;
    const words = { asking: text.queued, queued: text.queued, sending: text.sending, refused: text.refused, broken: text.broken };
    const label = state === "there" ? `${text.there} · ${server.label}` : state === "sent" ? server.label : words[state];
    const mark = part("mark", element);
    mark.className = `mark ${{ refused: "bad", broken: "warn" }[state] ?? server?.kind ?? "dim"}`;
    mark.querySelector("svg").replaceWith(icons[CALM[shown] ?? "clock"].cloneNode(true));
    part("state", element).textContent = label;
    const progress = element.querySelector("progress");
    progress.hidden = state !== "sending";
    progress.value = row.sent;
    progress.ariaLabel = row.name;
    const again = failedAgain(row) ? `${fill(text.failedAgain, { count: row.retries })} ` : "";
    const differs = state === "there" && server.size !== row.file.size ? fill(text.otherSize, { size: sizeOf(server) }) : "";
    const reason = row.reason || (["sent", "there"].includes(state) ? again + (server.reason || differs) : "");
    part("reason", element).textContent = reason;
    part("reason", element).hidden = !reason;
    const button = part("do", element);
    const hadFocus = document.activeElement === button;
    button.hidden = !(canRetry(row) || canAgain(row));
    button.textContent = canRetry(row) ? text.retry : text.again;
    button.ariaLabel = `${button.textContent}: ${row.name}`;
    const link = part("open", element);
    link.hidden = !server?.url;
    if (server?.url) link.href = server.url;
    link.textContent = text.open;
    link.ariaLabel = `${text.open}: ${row.name}`;
    if (hadFocus && button.hidden) part("name", element).focus();
    sum();
  }

  const hasEnded = (row) => row.state === "refused" || (["sent", "there"].includes(row.state) && row.server.final);
  const isFailed = (row) => row.state === "refused" || (["sent", "there"].includes(row.state) && row.server.state === "failed");

  const isListed = (row) => isFailed(row) || (row.retries && !hasEnded(row)); // among the failed ones

  part("failed-only").addEventListener("click", () => {
    onlyFailed = !onlyFailed;
    showSum();
    if (onlyFailed) part("name", rows.find(isListed).element).focus();
  });

  let summing = 0;
  function sum() {
    if (!summing) summing = requestAnimationFrame(() => { summing = 0; showSum(); });
  }

  function showSum() {
    const arrived = rows.filter((row) => row.state === "sent");
    const failed = rows.filter(isFailed);
    const isReady = (row) => hasEnded(row) && !isFailed(row);
    const there = rows.filter((row) => row.state === "there");
    const counts = { all: rows.length, arrived: arrived.length, ready: arrived.filter(isReady).length, there: there.filter((row) => !isFailed(row)).length, failed: failed.length }; // each file in one of these
    for (const [name, count] of Object.entries(counts)) page.querySelector(`[data-count=${name}]`).textContent = count;
    const total = part("total");
    const toSend = rows.length - there.length; // the others are skipped
    total.hidden = part("sent").hidden = !toSend;
    total.max = toSend || 1;
    total.value = arrived.length + rows.filter((row) => row.state === "refused").length;
    part("sent").textContent = fill(part("sent").dataset.text, { sent: total.value, all: toSend, share: Math.floor(100 * total.value / total.max) });
    const unfinished = rows.filter((row) => !hasEnded(row)).length;
    const isOver = rows.length > 0 && !unfinished;
    onlyFailed &&= rows.some(isListed);
    part("outcome").hidden = !failed.length && !onlyFailed;
    part("finished").hidden = !isOver && part("outcome").hidden;
    const outcome = part("outcome-words");
    outcome.textContent = fill(isOver ? outcome.dataset.text : outcome.dataset.textSoFar, { ...counts, unfinished });
    for (const row of rows) row.element.hidden = onlyFailed && !isListed(row);
    const only = part("failed-only");
    only.textContent = onlyFailed ? only.dataset.textAll : only.dataset.textFailed;
    const report = part("report");
    if (report) {
      report.hidden = !isOver || !rows.some(isReady);
      part("report-words").textContent = failed.length ? report.dataset.textSome : report.dataset.textAll;
    }
    part("retry-all").hidden = rows.filter(canRetry).length < 2;
    part("again-all").hidden = rows.filter((row) => canAgain(row) && !canRetry(row)).length < 2;
    const spoken = part("spoken");
    const words = fill(spoken.dataset.text, counts);
    if (isOver || total.value === total.max) spoken.textContent = words;
  }

  // The doors ---------------------------------------------------------------------------------------------

  function choose(input) {
    const files = [...input.files];
    input.value = "";
    if (input.id === "u-manifest") files.slice(0, 1).forEach(manifest.send);
    else add(files);
  }

  for (const id of ["u-files", "u-manifest"]) {
    const input = document.getElementById(id);
    input?.addEventListener("change", () => choose(input));
    if (input?.files.length) choose(input); // chosen before this module was loaded
  }
  offerDrop(part("drop"), add);
  warnOnLeaving(() => rows.some((row) => ["queued", "sending", "broken", "asking"].includes(row.state)));
}
