// The reference: opens the operation of the address, finds operations, and sends a request with the session.
const operations = [...document.querySelectorAll(".operation")];
const links = [...document.querySelectorAll(".reference-nav li > a")];

function openNamed() {
  const hash = location.hash.slice(1); // ids are plain ASCII: nothing to decode
  const named = document.getElementById(hash);
  if (!named?.matches(".operation")) return;
  named.open = true;
  named.scrollIntoView();
}

addEventListener("hashchange", openNamed);
openNamed();

const field = document.getElementById("find-operation");
field.addEventListener("input", () => {
  const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
  for (const each of operations) {
    const said = `${each.id} ${each.querySelector("summary").textContent}`.toLowerCase();
    each.hidden = !words.every((word) => said.includes(word));
  }
  for (const group of document.querySelectorAll(".operations"))
    group.hidden = !group.querySelector(".operation:not([hidden])");
  for (const link of links) link.parentElement.hidden = document.getElementById(link.hash.slice(1)).hidden;
  for (const group of document.querySelectorAll(".reference-nav details")) {
    const found = group.querySelectorAll("li:not([hidden])").length;
    group.hidden = !found;
    group.open = words.length > 0;
    group.querySelector(".quiet-text").textContent = found;
  }
  document.getElementById("nothing-found").hidden = operations.some((each) => !each.hidden);
});

function make(name, parts = {}, ...children) {
  const made = Object.assign(document.createElement(name), parts);
  made.append(...children);
  return made;
}

// A form of all parameters is made once an operation is opened: all of them at once would be a thousand fields.
function offer(operation) {
  const place = operation.querySelector(".try");
  const texts = place.dataset;
  const rows = [...operation.querySelectorAll("tr[data-place=path], tr[data-place=query]")];
  const body = operation.querySelector(".body-example").content.textContent;
  const takesFile = [...operation.querySelectorAll("tr[data-place=body]")].length && !body;
  if (place.childElementCount || takesFile) return;
  const form = make("form");
  for (const row of rows) {
    const input = make("input", { name: row.dataset.name, required: "required" in row.dataset, autocomplete: "off" });
    input.dataset.place = row.dataset.place;
    form.append(make("label", {}, make("code", { textContent: row.dataset.name }), input));
  }
  if (body)
    form.append(make("label", { className: "whole" }, texts.textBody, make("textarea", { name: "", value: body, spellcheck: false })));
  const isRead = operation.dataset.method === "GET";
  const isRemoval = operation.dataset.method === "DELETE";
  const look = isRead ? "button" : isRemoval ? "button danger" : "button primary";
  const send = make("button", { className: look, textContent: `${texts.textSend} ${operation.dataset.method}` });
  if (isRemoval) send.dataset.confirm = texts.textAsk; // as on every other page: confirm.js
  form.append(make("div", { className: "actions" }, send, isRead ? "" : make("span", { className: "quiet-text", textContent: texts.textChanges })));
  const output = make("output");
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    request(operation, form, output);
  });
  place.append(make("h3", { textContent: texts.textTitle }), form, output);
}

async function request(operation, form, output) {
  let path = operation.dataset.path;
  const query = new URLSearchParams();
  for (const input of form.querySelectorAll("input"))
    if (input.dataset.place === "path") path = path.replace(`{${input.name}}`, encodeURIComponent(input.value));
    else if (input.value) query.append(input.name, input.value);
  const method = operation.dataset.method;
  const headers = { "X-CSRFToken": JSON.parse(document.body.getAttribute("hx-headers"))["X-CSRFToken"], Accept: "application/json, */*" };
  const body = form.querySelector("textarea")?.value;
  if (body !== undefined) headers["Content-Type"] = "application/json";
  const shown = (...parts) => output.replaceChildren(...parts);
  try {
    const response = await fetch(query.size ? `${path}?${query}` : path, { method, headers, body });
    const status = make("p", {}, make("span", { className: response.ok ? "status" : "status bad-text", textContent: `${response.status} ${response.statusText}` }));
    if (!/json|text/.test(response.headers.get("Content-Type") ?? "")) {
      const file = await response.blob();
      shown(status, ...(file.size ? [make("a", { href: URL.createObjectURL(file), target: "_blank", textContent: operation.querySelector(".try").dataset.textFile })] : []));
      return;
    }
    const text = await response.text();
    const pretty = /json/.test(response.headers.get("Content-Type")) ? JSON.stringify(JSON.parse(text), null, 2) : text;
    const answer = make("pre", { tabIndex: 0 }, make("code", { textContent: pretty }));
    shown(status, answer);
  } catch {
    shown(make("p", { className: "bad-text", textContent: operation.querySelector(".try").dataset.textAway }));
  }
}

for (const each of operations) {
  each.addEventListener("toggle", () => each.open && offer(each));
  if (each.open) offer(each);
}
