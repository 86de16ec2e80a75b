// The call page: player, waveform and transcript in step. A quote or a sentence plays from where it was said;
// without a recording it is shown in the transcript.
const player = document.querySelector("[data-player]");
const audio = player?.querySelector("audio");
const list = document.querySelector("[data-segments]");
const segments = [...(list?.children ?? [])].map((element) => ({
  element,
  start: Number(element.dataset.start),
  end: Number(element.dataset.end),
}));
const SKIP_S = 5;
const FAR_S = 30;

function clock(seconds) {
  const whole = Math.floor(seconds);
  const hours = Math.floor(whole / 3600);
  const minutes = Math.floor(whole / 60) % 60;
  const rest = String(whole % 60).padStart(2, "0");
  return hours ? `${hours}:${String(minutes).padStart(2, "0")}:${rest}` : `${minutes}:${rest}`;
}

/** The last segment that begins at or before a moment; -1 before the first. */
function segmentAt(seconds) {
  let low = 0;
  let high = segments.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (segments[middle].start <= seconds + 0.05) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

if (list) {
  const tellMore = () => list.toggleAttribute("data-more", list.scrollHeight - list.scrollTop - list.clientHeight > 8);
  list.addEventListener("scroll", tellMore, { passive: true });
  new ResizeObserver(tellMore).observe(list);
}

const LEAST_SEEN_PX = 96; // of the transcript's box, to be read in

/** Scroll the transcript so that the element stands in the part of its box that the window shows. */
function bringIntoView(element) {
  const box = list.getBoundingClientRect();
  const inner = element.getBoundingClientRect();
  let top = Math.max(box.top, player ? player.getBoundingClientRect().bottom : 0);
  let bottom = Math.min(box.bottom, innerHeight);
  if (bottom - top < LEAST_SEEN_PX) [top, bottom] = [box.top, box.bottom];
  if (inner.top >= top && inner.bottom <= bottom) return;
  list.scrollTo({ top: list.scrollTop + inner.top - top - (bottom - top) / 3 });
}

function show(seconds) {
  const found = segments[Math.max(0, segmentAt(seconds))];
  if (!found) return;
  for (const { element } of segments) element.classList.toggle("shown", element === found.element);
  bringIntoView(found.element);
  found.element.scrollIntoView({ block: "nearest" });
}

if (player) {
  const position = player.querySelector("[data-position]");
  const button = player.querySelector("[data-play]");
  const now = player.querySelector("[data-now]");
  const played = [...player.querySelectorAll("[data-played]")];
  let duration = Number(player.dataset.duration) || 0;
  let current = -1;
  let drawing = 0;
  document.body.dataset.canPlay = "";

  const draw = () => {
    const seconds = audio.currentTime;
    now.textContent = clock(seconds);
    position.value = seconds;
    position.ariaValueText = clock(seconds);
    const share = duration ? Math.min(seconds / duration, 1) : 0;
    for (const rect of played) rect.setAttribute("width", share * rect.ownerSVGElement.viewBox.baseVal.width);
    const at = segmentAt(seconds);
    if (at === current) return;
    segments[current]?.element.classList.remove("now");
    segments[at]?.element.classList.add("now");
    current = at;
    if (at >= 0 && !audio.paused && !list.matches(":hover")) bringIntoView(segments[at].element);
  };
  const keepDrawing = () => {
    draw();
    drawing = audio.paused ? 0 : requestAnimationFrame(keepDrawing);
  };
  const seek = (seconds) => {
    audio.currentTime = Math.min(Math.max(seconds, 0), duration || seconds);
    draw();
  };
  const toggle = () => (audio.paused ? audio.play().catch(() => {}) : audio.pause());
  const showState = () => {
    player.classList.toggle("is-playing", !audio.paused);
    button.ariaLabel = audio.paused ? player.dataset.textPlay : player.dataset.textPause;
    cancelAnimationFrame(drawing);
    keepDrawing();
  };

  audio.addEventListener("play", showState);
  audio.addEventListener("pause", showState);
  audio.addEventListener("seeked", draw);
  audio.addEventListener("durationchange", () => {
    if (!Number.isFinite(audio.duration)) return;
    duration = audio.duration;
    position.max = duration;
    player.querySelector("[data-end]").textContent = clock(duration);
  });
  audio.addEventListener("error", () => {
    if (player.querySelector(".notice")) return;
    const notice = document.createElement("p");
    notice.className = "notice warn";
    notice.setAttribute("role", "alert");
    notice.textContent = player.dataset.textBroken;
    player.append(notice);
  });
  button.addEventListener("click", toggle);
  const take = document.querySelector("[data-take-time]"); // without script there is no time to take
  take?.addEventListener("click", () => {
    const field = take.parentElement.querySelector("input");
    field.value = clock(audio.currentTime);
    field.focus(); // lets a screen reader say the time
  });
  take?.toggleAttribute("hidden", false);
  position.addEventListener("input", () => seek(Number(position.value)));
  position.addEventListener("keydown", (event) => { // by itself a key moves it by its step, a tenth of a second
    const by = { ArrowLeft: -SKIP_S, ArrowDown: -SKIP_S, ArrowRight: SKIP_S, ArrowUp: SKIP_S, PageDown: -FAR_S, PageUp: FAR_S }[event.key];
    if (!by || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    seek(audio.currentTime + by);
  });
  player.querySelector("[data-speed]").addEventListener("change", (event) => {
    audio.playbackRate = Number(event.target.value);
  });
  for (const skip of player.querySelectorAll("[data-skip]")) {
    skip.addEventListener("click", () => seek(audio.currentTime + Number(skip.dataset.skip)));
  }

  document.addEventListener("click", (event) => {
    const asked = event.target.closest("[data-at]") ?? event.target.closest("[data-segments] li");
    if (!asked || String(getSelection())) return;
    seek(Number(asked.dataset.at ?? asked.dataset.start));
    audio.play().catch(() => {});
    if (current >= 0 && asked.matches(".quote")) bringIntoView(segments[current].element);
  });
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input, select, textarea")) return;
    const act = {
      " ": () => {
        const pressed = event.target.closest("button, a, summary");
        // What was pressed to hear a quote has the focus still: while it plays, Space pauses.
        if (pressed && (audio.paused || !pressed.matches("[data-at]"))) return false;
        toggle();
        return true;
      },
      ArrowLeft: () => (seek(audio.currentTime - SKIP_S), true),
      ArrowRight: () => (seek(audio.currentTime + SKIP_S), true),
    }[event.key];
    if (act?.()) event.preventDefault();
  });
} else {
  document.addEventListener("click", (event) => {
    const asked = event.target.closest("[data-at]");
    if (asked) show(Number(asked.dataset.at));
  });
}

// Find words in the transcript: each segment that holds them is marked, Enter goes from one to the next.
const find = document.querySelector("[data-find]");
if (find) {
  const field = find.querySelector("input");
  const status = find.querySelector("[data-found]");
  const buttons = [...find.querySelectorAll("[data-step]")];
  // Lower case without accents, letter by letter, so that places stay where they are.
  const fold = (text) => [...text].map((letter) => {
    const plain = letter.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();
    return plain.length === letter.length ? plain : letter;
  }).join("");
  // What the list of calls was searched for is marked by the server, which knows other forms of the words:
  // for as long as the field holds that, places are those, and not where the letters stand.
  const said = segments.map(({ element }) => {
    const text = element.querySelector("p");
    const places = [];
    let at = 0;
    for (const part of text.childNodes) {
      if (part.nodeName === "MARK") places.push([at, at + part.textContent.length]);
      at += part.textContent.length;
    }
    if (places.length) text.textContent = text.textContent; // one text again
    return places;
  });
  const texts = segments.map(({ element }) => element.querySelector("p").firstChild);
  const folded = texts.map((node) => fold(node?.data ?? ""));
  let hits = [];
  let at = -1;

  const go = (step) => {
    if (!hits.length) return;
    at = (at + step + hits.length) % hits.length;
    const { element } = segments[hits[at]];
    for (const each of segments) each.element.classList.toggle("shown", each.element === element);
    bringIntoView(element);
    status.textContent = find.dataset.textPlace.replace("PLACE", at + 1).replace("COUNT", hits.length);
  };
  const placesOf = (wanted, number) => {
    if (field.defaultValue && field.value === field.defaultValue) return said[number];
    const places = [];
    for (let place = wanted ? folded[number].indexOf(wanted) : -1; place >= 0;
      place = folded[number].indexOf(wanted, place + wanted.length)) places.push([place, place + wanted.length]);
    return places;
  };
  const search = () => {
    const wanted = fold(field.value.trim());
    const ranges = [];
    hits = [];
    at = -1;
    for (const [number, { element }] of segments.entries()) {
      const places = placesOf(wanted, number);
      element.classList.toggle("hit", places.length > 0);
      if (places.length) hits.push(number);
      for (const [start, end] of places) {
        const range = new Range();
        range.setStart(texts[number], start);
        range.setEnd(texts[number], end);
        ranges.push(range);
      }
    }
    globalThis.CSS?.highlights?.set("found-words", new Highlight(...ranges));
    for (const button of buttons) button.disabled = !hits.length;
    if (!hits.length) for (const { element } of segments) element.classList.remove("shown");
    status.textContent = wanted ? find.dataset.textNone : "";
    go(1);
  };
  field.addEventListener("input", search);
  find.addEventListener("submit", (event) => {
    event.preventDefault();
    go(1);
  });
  buttons[0].addEventListener("click", () => go(-1));
  if (field.value) search();
}

// The evidence of each criterion unfolds by itself; all of it at once, or as it was, by one box.
const all = document.querySelector("[data-open-all]");
const folds = [...document.querySelectorAll(".scored .fold")].map((fold) => [fold, fold.open]);
all?.addEventListener("change", () => {
  for (const [fold, wasOpen] of folds) fold.open = all.checked || wasOpen;
});

// Words that were selected in the transcript become the quote of an answer.
let selectedWords = "";
function readSelection() {
  const selection = getSelection();
  if (selection.isCollapsed || !list?.contains(selection.anchorNode)) return selectedWords;
  const words = segments.map(({ element }) => element.querySelector("p"))
    .filter((said) => selection.containsNode(said, true))
    .map((said) => {
      const range = selection.getRangeAt(0).cloneRange();
      if (!said.contains(range.startContainer)) range.setStart(said, 0);
      if (!said.contains(range.endContainer)) range.setEnd(said, said.childNodes.length);
      return range.toString();
    });
  return selectedWords = words.join(" ").trim();
}
document.addEventListener("selectionchange", readSelection); // it comes late: who uses the words reads them again
const answered = document.querySelector("[data-answered]");
document.addEventListener("change", () => {
  if (answered) answered.textContent = document.querySelectorAll(".review-form [name^='answer:']:checked").length.toLocaleString(document.documentElement.lang);
});
document.addEventListener("change", ({ target }) => { // a mistake needs words of the transcript
  if (!target.matches(".review-criterion [type=radio]") || target.value !== "made") return;
  target.closest("fieldset").querySelector("details").open = true;
});
for (const button of document.querySelectorAll("[data-take-words]")) {
  button.disabled = false;
  button.addEventListener("click", () => {
    const field = button.parentElement.querySelector("input");
    if (readSelection()) field.value = selectedWords;
    field.focus();
  });
}

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.matches("input:not([type=radio]), select, textarea")) return;
  if (document.documentElement.dataset.keys === "off") return;
  const fold = event.target.closest(".review-criterion")?.querySelector("details");
  const wanted = { c: "textarea", q: "input" }[event.key];
  if (!fold || !wanted) return;
  event.preventDefault();
  fold.open = true;
  const field = fold.querySelector(wanted);
  if (wanted === "input" && readSelection()) field.value = selectedWords;
  field.focus();
});

// In a review 1, 2 … gives the answer in that place to the question that has the focus, else to the first that is open, and goes on to the next.
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.matches("input:not([type=radio], [type=checkbox]), select, textarea")) return;
  if (document.documentElement.dataset.keys === "off" || !/^[1-9]$/.test(event.key)) return;
  const questions = [...document.querySelectorAll(".review-criterion")];
  const question = event.target.closest(".review-criterion") ?? questions.find((each) => !each.querySelector("input[type=radio]:checked"));
  const answer = question?.querySelectorAll("input[type=radio]")[event.key - 1];
  if (!answer) return;
  event.preventDefault();
  answer.click();
  const next = questions[questions.indexOf(question) + 1];
  (next?.querySelector("input[type=radio]:checked") ?? next?.querySelector("input[type=radio]") ?? answer).focus();
});

// Ctrl and Enter send a review from wherever the focus is, as its main button does.
document.addEventListener("keydown", (event) => {
  const button = event.key === "Enter" && (event.ctrlKey || event.metaKey) && document.querySelector(".review-form button.primary");
  if (!button || document.querySelector("dialog[open]")) return;
  event.preventDefault();
  button.click();
});

/** An address that ends in #criterion-ID unfolds what that answer rests on; one in #t=SECONDS opens the call there.
 *  Sound starts only when somebody asks for it. */
function openPlace() {
  document.querySelector(".scored tr:target details")?.setAttribute("open", "");
  const asked = /^#t=(\d+(?:\.\d+)?)$/.exec(location.hash);
  if (!asked) return;
  show(Number(asked[1]));
  if (!audio) return;
  const begin = () => { audio.currentTime = Number(asked[1]); };
  if (audio.readyState) begin();
  else audio.addEventListener("loadedmetadata", begin, { once: true });
}
openPlace();
addEventListener("hashchange", openPlace); // a link within the page, or an address that was edited

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input, select, textarea")) return;
  if (document.documentElement.dataset.keys === "off") return;
  const rel = { j: "next", k: "prev" }[event.key];
  if (rel) document.querySelector(`.trail [rel=${rel}]`)?.click();
});
