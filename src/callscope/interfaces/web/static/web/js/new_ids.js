// What a new part is called gives its id, until somebody writes one.

/** Write the id of the new part that an input belongs to. */
export function suggestId(editor, target) {
  const item = target.closest("[data-item][data-fresh]");
  const field = target.closest("[data-field]")?.dataset.field;
  if (!item || !field) return;
  const id = [...item.querySelectorAll("[data-field=id] input")].find((each) => each.closest("[data-item]") === item);
  if (target === id) delete item.dataset.fresh;
  else if (id && (field === "name" || field === "text")) id.value = unused(editor, id, slug(target.value));
}

/** Offer the ids of the other criteria, each with its name, where a rule asks for one. */
export function offerIds(editor) {
  editor.addEventListener("focusin", ({ target }) => {
    const own = target.closest("details.criterion");
    const others = target.list && [...editor.querySelectorAll("details.criterion")].filter((each) => each !== own);
    target.list?.replaceChildren(...others.map((each) => new Option(valueOf(each, "name"), valueOf(each, "id"))));
  });
}

const valueOf = (criterion, field) => criterion.querySelector(`[data-field=${field}] input`).value;

const slug = (words) => words.normalize("NFKD").replace(/[^\w\s-]/g, "").trim().toLowerCase().replace(/[\s-]+/g, "_").slice(0, 40);

function unused(editor, input, wanted) {
  const others = [...editor.querySelectorAll("[data-field=id] input")].filter((each) => each !== input).map((each) => each.value);
  let id = wanted;
  for (let n = 2; id && others.includes(id); n += 1) id = `${wanted}_${n}`;
  return id;
}
