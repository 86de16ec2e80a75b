// Files and folders that are dropped anywhere on a page.

const folders = new WeakMap(); // of files that came in a folder

/** Return the folder that a file was chosen or dropped in, "monday/"; "" where the browser does not say. */
export function findFolder(file) {
  const path = folders.get(file) ?? file.webkitRelativePath ?? "";
  return path.slice(0, path.lastIndexOf("/") + 1);
}

/** Give the files of each drop to `take`; `area` shows that they may be dropped. */
export function offerDrop(area, take) {
  document.addEventListener("dragover", (event) => {
    event.preventDefault();
    area.classList.add("over");
  });
  document.addEventListener("dragleave", (event) => event.relatedTarget || area.classList.remove("over"));
  document.addEventListener("drop", async (event) => {
    event.preventDefault();
    area.classList.remove("over");
    take(await dropped(event.dataTransfer));
  });
}

/** Return every file of a drop; folders are walked. */
async function dropped(transfer) {
  const entries = [...transfer.items].map((item) => item.webkitGetAsEntry?.()).filter(Boolean);
  if (!entries.length) return [...transfer.files];
  const files = [];
  for (const entry of entries) await walk(entry, files);
  return files;
}

async function walk(entry, files) {
  if (entry.isFile) {
    const file = await new Promise((done, fail) => entry.file(done, fail));
    folders.set(file, entry.fullPath.replace(/^\//, ""));
    files.push(file);
    return;
  }
  const reader = entry.createReader();
  for (;;) {
    const some = await new Promise((done, fail) => reader.readEntries(done, fail));
    if (!some.length) return;
    for (const each of some) await walk(each, files);
  }
}
