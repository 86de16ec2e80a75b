// The heads of criteria in the editor of a rubric: what each is called, its marks and its points, as its fields say.
import { numberOf } from "./document.js";

const locale = document.documentElement.lang;
const plural = new Intl.PluralRules(locale);

/** Show in every head what the fields below it hold; `text` are the sentences of the page. */
export function showHeads(editor, text) {
  for (const item of editor.querySelectorAll("details[data-item]")) {
    for (const shown of item.querySelectorAll("[data-shows]")) shown.textContent = item.querySelector(`[data-field=${shown.dataset.shows}] input`).value || text.new;
    item.querySelector("[data-shows-points]").textContent = pointsIn(item, text);
    for (const tag of item.querySelectorAll("[data-shows-if]")) tag.hidden = !item.querySelector(`[data-field=${tag.dataset.showsIf}] input`).checked;
  }
}

/** Return "5 points" for the head of a criterion; a dash for what is no number of points. */
function pointsIn(item, text) {
  const points = numberOf(item.querySelector("[data-field=max_points] input").value.trim());
  if (typeof points !== "number" || points <= 0) return "–";
  const words = plural.select(points) === "one" ? text.onePoint : text.points;
  return words.replace("{points}", points.toLocaleString(locale));
}
