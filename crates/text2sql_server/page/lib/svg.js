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

/** Saves a drawing that is shown as a file, in light colours on white. */
export function downloadSvg(svg, name) {
  const copy = svg.cloneNode(true);
  svg.classList.add('chart-on-paper');
  const shown = [svg, ...svg.querySelectorAll('*')];
  const copied = [copy, ...copy.querySelectorAll('*')];
  shown.forEach((element, at) => {
    if (element === svg || ['title', 'desc'].includes(element.localName)) return;
    const style = getComputedStyle(element);
    for (const property of STYLES) copied[at].setAttribute(property, style.getPropertyValue(property));
  });
  svg.classList.remove('chart-on-paper');
  const [, , width, height] = copy.getAttribute('viewBox').split(' ');
  copy.setAttribute('width', width);
  copy.setAttribute('height', height);
  const paper = document.createElementNS('http://www.w3.org/2000/svg', 'rect');
  for (const [attribute, value] of [['width', width], ['height', height], ['fill', '#ffffff']]) paper.setAttribute(attribute, value);
  copy.querySelector('desc').after(paper);
  const link = document.createElement('a');
  const url = URL.createObjectURL(new Blob([new XMLSerializer().serializeToString(copy)], { type: 'image/svg+xml' }));
  link.href = url;
  link.download = `${name.normalize('NFC').replace(/[^\p{L}\p{N}]+/gu, '-').replace(/^-|-$/g, '').slice(0, 60) || 'chart'}.svg`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
