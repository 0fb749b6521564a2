// Moving and zooming what is in a frame: by mouse, wheel, fingers and keys. The page of the workbench and the HTML report use it,
// so it needs nothing else, and is written as browsers read it.

/**
 * @typedef {{ x: number, y: number, scale: number }} Place
 * @param {HTMLElement} frame what can be seen
 * @param {() => { width: number, height: number }} size of the whole, at its natural scale
 * @param {(place: Place) => void} changed where the whole is now, in the frame
 * @param {{ legible?: number, wheel?: boolean }} options the smallest scale at which it is shown at first; whether the wheel moves it,
 * or only zooms with Ctrl and else scrolls the page
 */
export function panZoom(frame, size, changed, { legible = 0.45, wheel: moves = true } = {}) {
  const margin = 12;
  const smallest = 0.02;
  const largest = 8;
  /** @type {Place} */
  let place = { x: margin, y: margin, scale: 1 };
  let moved = false; // by the reader: what was moved stays where it is
  let shown = false; // how it was fitted
  /** @type {Map<number, { x: number, y: number }>} */
  const fingers = new Map();
  let dragged = false; // since the last press: then what follows is not a click

  /** @param {Place} next */
  const set = (next) => changed((place = next));

  /** All of it, or its full width at a scale that can be read. @param {boolean} whole */
  function fit(whole) {
    const box = frame.getBoundingClientRect();
    const { width, height } = size();
    let scale = Math.min((box.width - 2 * margin) / width, whole ? (box.height - 2 * margin) / height : largest, 1);
    if (!whole) scale = Math.max(scale, legible);
    moved = false;
    shown = whole;
    set({ scale, x: Math.max((box.width - width * scale) / 2, margin), y: whole ? Math.max((box.height - height * scale) / 2, margin) : margin });
  }

  /** Around a point of the window; around the middle, if none is given. @param {number} by @param {number=} x @param {number=} y */
  function zoom(by, x, y) {
    const box = frame.getBoundingClientRect();
    const cx = (x ?? box.left + box.width / 2) - box.left;
    const cy = (y ?? box.top + box.height / 2) - box.top;
    const scale = Math.min(Math.max(place.scale * by, smallest), largest);
    const real = scale / place.scale;
    moved = true;
    set({ scale, x: cx - (cx - place.x) * real, y: cy - (cy - place.y) * real });
  }

  /** @param {number} x @param {number} y */
  function move(x, y) {
    moved = true;
    set({ ...place, x: place.x + x, y: place.y + y });
  }

  /** A point of the whole comes to the middle. @param {number} x @param {number} y */
  function center(x, y) {
    const box = frame.getBoundingClientRect();
    moved = true;
    set({ ...place, x: box.width / 2 - x * place.scale, y: box.height / 2 - y * place.scale });
  }

  const middle = () => {
    const all = [...fingers.values()];
    return { x: all.reduce((sum, one) => sum + one.x, 0) / all.length, y: all.reduce((sum, one) => sum + one.y, 0) / all.length };
  };
  const spread = () => {
    const [a, b] = [...fingers.values()];
    return b ? Math.hypot(a.x - b.x, a.y - b.y) : 0;
  };

  /** @param {PointerEvent} event */
  function press(event) {
    if (event.button !== 0) return;
    if (fingers.size === 0) dragged = false;
    fingers.set(event.pointerId, { x: event.clientX, y: event.clientY });
  }

  /** @param {PointerEvent} event */
  function drag(event) {
    const finger = fingers.get(event.pointerId);
    if (!finger) return;
    if (!dragged && Math.hypot(event.clientX - finger.x, event.clientY - finger.y) <= 3) return;
    if (!dragged) for (const one of fingers.keys()) frame.setPointerCapture(one);
    dragged = true;
    const before = { ...middle(), spread: spread() };
    fingers.set(event.pointerId, { x: event.clientX, y: event.clientY });
    const now = { ...middle(), spread: spread() };
    move(now.x - before.x, now.y - before.y);
    if (before.spread > 0 && now.spread > 0) zoom(now.spread / before.spread, now.x, now.y);
  }

  /** @param {PointerEvent} event */
  function release(event) {
    fingers.delete(event.pointerId);
  }

  /** @param {MouseEvent} event */
  function click(event) {
    if (dragged) event.stopPropagation();
  }

  /** @param {WheelEvent} event */
  function wheel(event) {
    const zooms = event.ctrlKey || event.metaKey;
    if (zooms || moves) event.preventDefault();
    if (zooms) zoom(Math.exp(-event.deltaY / 200), event.clientX, event.clientY);
    else if (moves) move(-event.deltaX, -event.deltaY);
  }

  /** @param {KeyboardEvent} event */
  function key(event) {
    const step = 60;
    /** @type {Record<string, () => void>} */
    const moves = {
      ArrowLeft: () => move(step, 0), ArrowRight: () => move(-step, 0), ArrowUp: () => move(0, step), ArrowDown: () => move(0, -step),
      '+': () => zoom(1.25), '=': () => zoom(1.25), '-': () => zoom(0.8), '0': () => fit(true),
    };
    const action = moves[event.key];
    if (!action || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    action();
  }

  frame.addEventListener('pointerdown', press);
  frame.addEventListener('pointermove', drag);
  frame.addEventListener('pointerup', release);
  frame.addEventListener('pointercancel', release);
  frame.addEventListener('click', click, true);
  frame.addEventListener('wheel', wheel, { passive: false });
  frame.addEventListener('keydown', key);
  const resized = new ResizeObserver(() => {
    if (!moved && frame.clientWidth > 0) fit(shown);
  });
  resized.observe(frame);

  return {
    fit, zoom, move, center,
    moved: () => moved,
    close: () => resized.disconnect(),
  };
}
