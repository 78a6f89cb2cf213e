// Drawings of the server: read as XML, so that nothing in them can become a script, and saved with their colours.

const NAMES = new Set(['svg', 'title', 'desc', 'line', 'polyline', 'polygon', 'rect', 'circle', 'text']);
// What a style sheet gives an element, and a file has to say itself.
const STYLES = ['fill', 'stroke', 'stroke-width', 'stroke-dasharray', 'font-family', 'font-size', 'font-weight'];

/** The drawing as an element of this document, or null if it has anything that a drawing does not need. */
export function readSvg(text) {
  const root = new DOMParser().parseFromString(text, 'image/svg+xml').documentElement;
  const elements = [root, ...root.querySelectorAll('*')];
  const isDrawing = root.localName === 'svg' && elements.every(element => NAMES.has(element.localName)
    && [...element.attributes].every(({ name }) => !name.startsWith('on') && !name.endsWith('href')));
  return isDrawing ? document.importNode(root, true) : null;
}

/** A drawing that is shown as the text of a file, in light colours on white, with its size. */
function fileOf(svg) {
  const copy = svg.cloneNode(true);
  svg.classList.add('chart-on-paper');
  const shown = [svg, ...svg.querySelectorAll('*')];
  const copied = [copy, ...copy.querySelectorAll('*')];
  shown.forEach((element, at) => {
    if (element === svg || ['title', 'desc'].includes(element.localName)) return;
    const style = getComputedStyle(element);
    for (const property of STYLES) copied[at].setAttribute(property, style.getPropertyValue(property));
    for (const name of ['tabindex', 'role', 'aria-label']) copied[at].removeAttribute(name);
  });
  svg.classList.remove('chart-on-paper');
  const [, , width, height] = copy.getAttribute('viewBox').split(' ');
  copy.setAttribute('width', width);
  copy.setAttribute('height', height);
  const paper = document.createElementNS('http://www.w3.org/2000/svg', 'rect');
  for (const [attribute, value] of [['width', width], ['height', height], ['fill', '#ffffff']]) paper.setAttribute(attribute, value);
  copy.querySelector('desc').after(paper);
  return { text: new XMLSerializer().serializeToString(copy), width: Number(width), height: Number(height) };
}

function save(blob, name, end) {
  const link = document.createElement('a');
  const url = URL.createObjectURL(blob);
  link.href = url;
  link.download = `${name.normalize('NFC').replace(/[^\p{L}\p{N}]+/gu, '-').replace(/^-|-$/g, '').slice(0, 60) || 'chart'}.${end}`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}

/** Saves a drawing that is shown. */
export const downloadSvg = (svg, name) => save(new Blob([fileOf(svg).text], { type: 'image/svg+xml' }), name, 'svg');

/** A drawing that is shown as a picture for slides and mails, twice as fine as on the screen. */
async function pngOf(svg) {
  const { text, width, height } = fileOf(svg);
  const image = new Image(width, height);
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`;
  await image.decode();
  const canvas = document.createElement('canvas');
  canvas.width = 2 * width;
  canvas.height = 2 * height;
  canvas.getContext('2d').drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise(resolve => { canvas.toBlob(resolve, 'image/png'); });
}

export const savePng = async (svg, name) => save(await pngOf(svg), name, 'png');

/** Copies it as a picture; returns whether that went well. Browsers refuse it without https. */
export async function copyPng(svg) {
  try {
    await navigator.clipboard.write([new ClipboardItem({ 'image/png': pngOf(svg) })]);
    return true;
  } catch {
    return false;
  }
}
