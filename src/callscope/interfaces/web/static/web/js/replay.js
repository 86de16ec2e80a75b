// Publishing a draft: a day is needed where calls are scored again from one on, and who fills it in means that.
function settle(form) {
  const { rescore, start_date: day } = form?.elements ?? {};
  if (day) day.required = rescore.value === "from";
}

document.addEventListener("input", ({ target }) => {
  if (target.name === "start_date" && target.value) target.form.elements.rescore.value = "from";
  if (["start_date", "rescore"].includes(target.name)) settle(target.form);
});
settle(document.querySelector("[name=rescore]")?.form);
