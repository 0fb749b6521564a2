// The pictures of the report can be moved and enlarged; without scripts they are as wide as the page.
for (const drawing of document.querySelectorAll('.machine')) {
  const frame = drawing.querySelector('.frame');
  const paper = drawing.querySelector('.paper');
  const picture = paper.querySelector('svg');
  const box = picture.viewBox.baseVal;
  const points = 4 / 3; // Graphviz measures in points
  const size = { width: box.width * points, height: box.height * points };
  const whole = Math.min(1, frame.clientWidth / size.width) * size.height;
  drawing.classList.add('moving');
  drawing.style.setProperty('--height', `${Math.ceil(whole + 24)}px`);
  picture.style.width = `${size.width}px`;
  picture.style.maxWidth = 'none';
  const percent = drawing.querySelector('.percent');
  const moving = panZoom(frame, () => size, (place) => {
    paper.style.transform = `translate(${place.x}px, ${place.y}px) scale(${place.scale})`;
    percent.textContent = `${Math.round(place.scale * 100)} %`;
  }, { legible: 0, wheel: false });
  moving.fit(false);
  drawing.querySelector('.zoom').hidden = false;
  drawing.querySelector('.smaller').addEventListener('click', () => moving.zoom(0.8));
  drawing.querySelector('.larger').addEventListener('click', () => moving.zoom(1.25));
  drawing.querySelector('.fit').addEventListener('click', () => moving.fit(true));
}
