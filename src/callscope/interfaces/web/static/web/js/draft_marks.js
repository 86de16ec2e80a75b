// Which criteria a draft changes in the rubric that is saved: marked in their heads while its notice stands.
const locale = document.documentElement.lang;
const listCriteria = (rubric) => rubric.sections.flatMap((section) => section.criteria);

/** Mark what differs between the criteria that are `saved` and those `shown`, and name those that are gone. */
export function markDraft(editor, notice, saved, shown, text) {
  if (!shown) return;
  const former = new Map(listCriteria(saved).map((each) => [each.id, each]));
  const now = listCriteria(shown);
  for (const [at, item] of [...editor.querySelectorAll("details.criterion")].entries()) {
    const before = former.get(now[at].id);
    former.delete(now[at].id);
    const tag = item.querySelector("[data-draft-tag]");
    tag.hidden = !notice || JSON.stringify(before) === JSON.stringify(now[at]);
    tag.textContent = tag.hidden ? "" : before ? text.changed : text.added;
    if (!tag.hidden && before && before.max_points !== now[at].max_points) item.querySelector("[data-shows-points]").prepend(`${before.max_points.toLocaleString(locale)} → `);
  }
  const gone = notice?.querySelector("[data-draft-removes]");
  if (!gone) return;
  gone.hidden = !former.size;
  gone.textContent = gone.dataset.draftRemoves.replace("{names}", () => [...former.values()].map((each) => each.name).join(", "));
}
