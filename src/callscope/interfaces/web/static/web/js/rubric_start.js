// A rubric to start from, filled into the fields of an empty one. Nothing is saved.
import { toast } from "./app.js";
import { askJson } from "./server.js";

export function offerStart(editor, { take, onFailed }) {
  const button = editor.querySelector("[data-start]");
  button?.addEventListener("click", async () => {
    if (button.ariaDisabled) return; // still at it; a disabled button would lose the focus
    button.ariaDisabled = "true";
    const query = new URLSearchParams({ start: document.getElementById("rubric-start").value });
    try {
      const found = await askJson(`${button.dataset.start}?${query}`);
      take(found.document);
      editor.querySelector("[data-item] summary")?.focus(); // the button is gone
      toast(button.dataset.textFilled, "good");
    } catch (error) {
      onFailed(error);
    }
    button.ariaDisabled = null;
  });
}
