// Publishing a draft: a day is needed where calls are scored again from one on, and who fills it in means that. Where
// stored results change, confirm.js asks first, with the number of calls as soon as the server has counted those of a day.
function settle(form) {
  const { rescore, start_date: day } = form?.elements ?? {};
  if (day) day.required = rescore.value === "from";
}

function findQuestion(form) {
  const asks = { all: form.dataset.askAll, from: (form.querySelector("#day-calls [data-ask-from]") ?? form).dataset.askFrom };
  return asks[form.elements.rescore.value];
}

document.addEventListener("input", ({ target }) => {
  if (target.name === "start_date") {
    target.form.querySelector("#day-calls").replaceChildren(); // of another day
    if (target.value) target.form.elements.rescore.value = "from";
  }
  if (["start_date", "rescore"].includes(target.name)) settle(target.form);
});
document.addEventListener("click", ({ target }) => { // before confirm.js
  const button = target.closest("[data-publish] button");
  const question = button && findQuestion(button.form);
  if (question) button.dataset.confirm = question;
  else button?.removeAttribute("data-confirm");
}, { capture: true });
settle(document.querySelector("[name=rescore]")?.form);
