// How large a file is, in words.
const KILOBYTE = 1024;
export const MEGABYTE = 1024 * KILOBYTE;

/** Return how large a file is, as the list of files does: "5 bytes", "4.9 KB", "2.4 MB". */
export function sizeOf({ size: bytes }) {
  const { lang } = document.documentElement;
  if (bytes < KILOBYTE) return bytes.toLocaleString(lang, { style: "unit", unit: "byte", unitDisplay: "long" });
  const [size, unit] = bytes < MEGABYTE ? [bytes / KILOBYTE, "KB"] : [bytes / MEGABYTE, "MB"];
  return `${size.toLocaleString(lang, { minimumFractionDigits: 1, maximumFractionDigits: 1 })} ${unit}`;
}
