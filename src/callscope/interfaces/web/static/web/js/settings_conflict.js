// What others saved of the same settings: a notice above the fields, with a button that sends them all the same.
const place = document.querySelector("[data-conflict]");

/** Show the notice of an answer, if it has one, in place of an earlier one; return whether it has. */
export function showConflict(notice) {
  place.innerHTML = notice ?? ""; // of our own templates
  place.firstElementChild?.focus();
  return Boolean(notice);
}
