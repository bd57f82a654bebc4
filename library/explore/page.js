/* The page: its panes, the search, the details of an operation, and what is shown of them. */
const entries = [];  // what the search finds: {element, words, group, arrive}
let found = [], foundAt = -1;

function searchable(element, words, group = 'lines', arrive = null) {
  entries.push({element, words: words.toLowerCase(), group, arrive});
}

function forget(group) {
  for (let index = entries.length - 1; index >= 0; index--) if (entries[index].group === group) entries.splice(index, 1);
}

function search(words) {
  for (const one of found) one.element.classList.remove('found');
  const wanted = words.trim().toLowerCase();
  found = wanted ? entries.filter(one => one.words.includes(wanted)) : [];
  for (const one of found) one.element.classList.add('found');
  foundAt = -1;
  document.getElementById('count').textContent = wanted ? `${found.length} found` : '';
}

function nextFound(step) {
  found = found.filter(one => one.element.isConnected && !one.element.closest('.pane[hidden]'));
  if (!found.length) return;
  foundAt = (foundAt + step + found.length) % found.length;
  const {element, arrive} = found[foundAt];
  document.getElementById('count').textContent = `${foundAt + 1} of ${found.length}`;
  const lines = element.closest('.lines');
  if (lines) lines.scrollTop = topIn(lines, element) - lines.clientHeight / 3;
  highlights.release();
  highlights.light(arrive ? arrive() : element);
}

/* ---- numbers in words ---- */
const few = number => String(number).replace(/\B(?=(\d{3})+$)/g, ',');
const amount = (number, unit) => number === null || number === undefined ? 'unknown' : `${few(number)} ${unit}`;
function duration(seconds) {
  if (!seconds) return '0 s';
  for (const [unit, scale] of [['s', 1], ['ms', 1e-3], ['us', 1e-6]]) {
    if (seconds >= scale) return `${(seconds / scale).toPrecision(3)} ${unit}`;
  }
  return `${(seconds / 1e-9).toPrecision(3)} ns`;
}

/* `add, tanh (3 times)`: each word once, the first ones only. */
function counted(words, most) {
  const counts = new Map();
  for (const word of words) counts.set(word, (counts.get(word) || 0) + 1);
  const parts = [...counts].map(([word, count]) => count > 1 ? `${word} (${count} times)` : word);
  return parts.slice(0, most).join(', ') + (parts.length > most ? ` and ${parts.length - most} more` : '');
}

const place = spot => {
  const [file, line] = data.spots[spot];
  return `${data.files[file].split(/[\\/]/).pop()}:${line}`;
};
const valueInWords = value => {
  const maker = constants.get(value);
  return `${nameOf(value)}: ${typeOf(value)}${maker === undefined ? '' : ` (${data.nodes[maker].attrs})`}`;
};
const constants = new Map(data.nodes.flatMap((node, index) => node.constant ? node.out.map(value => [value, index]) : []));

/* ---- details ---- */
function describe(nodes) {
  const box = document.getElementById('details');
  const shown = nodes.slice(0, 6);
  const rest = nodes.length > shown.length ? [make('p', {}, `and ${nodes.length - shown.length} more`)] : [];
  const [only] = nodes.length === 1 ? nodes : [];
  box.replaceChildren(...shown.map(node => details(node, node === only)), ...rest);
  box.hidden = !nodes.length;
}

function details(number, isFull) {
  const node = data.nodes[number], row = data.rows[number];
  const facts = [['Result', node.out.map(valueInWords).join(', ') || 'none']];
  if (node.in.length) facts.push(['Operands', node.in.map(valueInWords).join(', ')]);
  if (node.attrs) facts.push(['Attributes', node.attrs]);
  if (node.spot !== null) facts.push(['Line', place(node.spot)]);
  if (node.effect) facts.push(['Effect', 'yes']);
  if (row) {
    facts.push(['Runs on', row.why === null ? 'native code' : `NumPy: ${row.why}`]);
    const others = Object.entries(data.rows).filter(([key, other]) => other.step === row.step && Number(key) !== number);
    facts.push(['Fused with', counted(others.map(([key]) => data.nodes[key].op), 20) || 'nothing']);
    facts.push(['Work', `${amount(row.flops, 'flops')}, ${amount(row.bytes, 'bytes')}`]);
    const time = data.times[row.step];
    if (time) facts.push(['Time of the step', timeInWords(time)]);
  }
  const list = make('dl', {});
  for (const [name, fact] of isFull ? facts : facts.slice(0, 1)) list.append(make('dt', {}, name), make('dd', {}, fact));
  return make('div', {}, make('h2', {}, node.op), list);
}

function timeInWords(time) {
  if (time.seconds === null) return time.why || 'too short to be timed';
  const words = [duration(time.seconds)];
  if (time.limit) words.push(`at best ${duration(time.limit)}, bound by ${time.bound}`,
    `${(time.seconds / time.limit).toFixed(1)} times that`);
  return words.join('; ');
}

/* ---- panes ---- */
const rowsOf = listed => listed.lines.map((line, index) => ({number: index + 1, line, nodes: listed.nodes[index],
  other: listed.others && listed.others[index], differs: isOwn(listed, index)}));

/* Whether the version beside this one does not have a line. */
const isOwn = (listed, index) => listed.differs !== undefined && listed.differs.includes(index);

function sourceRows() {
  const spots = new Map(data.spots.map(([file, line], index) => [`${file} ${line}`, index]));
  const rows = [];
  for (const block of data.sources) {
    rows.push({title: block.file});
    const file = data.files.indexOf(block.file);
    for (const [index, line] of block.lines.entries()) {
      const spot = spots.get(`${file} ${block.first + index}`);
      rows.push({number: block.first + index, line, spots: spot === undefined ? [] : [spot], differs: isOwn(block, index)});
    }
  }
  return rows;
}

function generatedRows(listed) {
  const {name, lines, spots, problem} = listed;
  if (problem) return [{title: `${name}: ${problem}`}];
  const rows = lines.map((line, index) =>
    ({number: index + 1, line, spots: spots[index] === null ? [] : [spots[index]], differs: isOwn(listed, index)}));
  return data.generated.length > 1 ? [{title: name}, ...rows] : rows;
}

function kernelRows(part) {
  return data.kernels.flatMap(kernel => {
    const listed = part(kernel);
    const more = listed.left_out ? [{title: `${few(listed.left_out)} lines more`}] : [];
    return [{title: `kernel ${kernel.name}`}, ...rowsOf(listed), ...more];
  });
}

let view = null;

function graphPane() {
  const {section, head} = pane('graph', 'Graph');
  const holder = make('div', {id: 'drawing', tabindex: '0', role: 'listbox',
    'aria-label': 'Graph. Arrow keys move, Enter selects, Space opens a loop or branch, plus and minus zoom, 0 shows all.'});
  const steps = make('select', {id: 'steps', 'aria-label': 'Graph after which pass', onchange: () =>
    chooseStep(Number(steps.value))});
  for (const [index, step] of data.steps.entries()) {
    const isPass = index > 0 && index <= lastPass && step.title !== 'as traced';
    steps.append(make('option', {value: index}, isPass ? `after ${step.title}` : step.title));
  }
  steps.value = lastPass;
  const button = (title, label, action) => make('button', {type: 'button', 'aria-label': label, title: label,
    onclick: action}, title);
  const everything = () => {
    if (view.expanded.size) view.expanded.clear(); else view.expandAll();
    view.render();
    view.fit();
  };
  head.append(steps, make('span', {class: 'space'}), button('Fold', 'Open or close all loops and branches', everything),
    button('+', 'Zoom in', () => view.zoom(1.25)), button('\u2212', 'Zoom out', () => view.zoom(0.8)),
    button('Whole graph', 'Show the whole graph', () => view.fitAll()));
  section.append(holder, make('div', {id: 'details', role: 'region', 'aria-label': 'Operation', 'aria-live': 'polite',
    tabindex: '0', hidden: true}));
  view = new GraphView(holder);
}

function chooseStep(step) {
  document.getElementById('steps').value = step;
  view.show(step);
  changes(step);
}

/* What a pass changed. */
function changes(step) {
  const box = document.getElementById('details');
  const {title, added, removed, rewired} = data.steps[step];
  box.hidden = !added;
  if (!added) return;
  const names = nodes => counted(nodes.map(node =>
    data.nodes[node].op + (data.nodes[node].spot === null ? '' : ` (${place(data.nodes[node].spot)})`)), 30);
  const list = make('dl', {});
  for (const [word, nodes] of [['Added', added], ['Removed', removed], ['Other operands', rewired]]) {
    if (nodes.length) list.append(make('dt', {}, `${word}: ${nodes.length}`), make('dd', {}, names(nodes)));
  }
  box.replaceChildren(make('h2', {}, `What ${title} changed`), list);
}

/* ---- the top of the page ---- */
function arrange() {
  const shown = [...document.querySelectorAll('.pane:not([hidden])')];
  const most = window.innerWidth >= 1400 ? 3 : window.innerWidth >= 850 ? 2 : 1;
  const columns = Math.min(most, shown.length) || 1;
  document.getElementById('panes').style.setProperty('--columns', columns);
  for (const [index, section] of shown.entries()) {  // the last one has the rest of its row
    const rest = index === shown.length - 1 ? columns - index % columns : 1;
    section.style.gridColumn = document.body.classList.contains('one') ? '' : `span ${rest}`;
  }
}

/* A button that gives a pane the whole page, and back. */
function wholePage(section, title) {
  const button = make('button', {type: 'button', 'aria-pressed': 'false', 'aria-label': `${title} alone`,
    title: `${title} alone`, onclick: () => {
      const isWhole = section.classList.toggle('whole');
      document.body.classList.toggle('one', isWhole);
      button.setAttribute('aria-pressed', String(isWhole));
      arrange();
    }}, '\u2922');
  button.className = 'alone';
  const head = section.querySelector('.head');
  if (!head.querySelector('.space')) head.append(make('span', {class: 'space'}));
  head.append(button);
}

/* What the colors mean. */
function legend() {
  const parts = [['native-fill', 'native'], ['numpy-fill', 'NumPy'], ['strong-fill', 'belongs to it'], ['lit-fill', 'also has other lines']];
  if (isBeside) parts.push(['differs-fill', 'not in the other version']);
  const entry = ([color, words]) => make('span', {class: `key ${color}`}, words);
  const all = make('span', {id: 'legend', 'aria-label': 'Legend of colors'});
  all.append(...parts.map(entry));
  return all;
}

const isBeside = data.program.differs !== undefined;
const toggles = new Map();  // pane -> the button that shows and hides it

function tools() {
  const bar = document.getElementById('tools');
  for (const section of document.querySelectorAll('.pane')) {
    const title = section.querySelector('h2').textContent;
    const hidden = isBeside ? ['generated', 'graph', 'program', 'numpy', 'traces', 'flame'] : ['numpy', 'traces', 'flame'];
    const startsShown = !hidden.includes(section.id.slice(5));
    section.hidden = !startsShown;
    wholePage(section, title);
    const toggle = make('button', {type: 'button', 'aria-pressed': String(startsShown), onclick: () => {
      const whole = document.querySelector('.whole .alone');
      if (whole) whole.click();  // the others are seen again
      section.hidden = !section.hidden;
      toggle.setAttribute('aria-pressed', String(!section.hidden));
      arrange();
    }}, title);
    toggles.set(section.id, toggle);
    bar.append(toggle);
  }
  const input = make('input', {type: 'search', placeholder: 'Search ( / )', 'aria-label': 'Search all panes',
    oninput: () => search(input.value),
    onkeydown: event => { if (event.key === 'Enter') nextFound(event.shiftKey ? -1 : 1); }});
  const theme = make('button', {type: 'button', onclick: () => useTheme(root.dataset.theme === 'dark' ? 'light' : 'dark')},
    'Theme: light or dark');
  const wrap = make('button', {type: 'button', 'aria-pressed': 'false', onclick: () =>
    wrap.setAttribute('aria-pressed', String(document.body.classList.toggle('wrapped')))}, 'Wrap lines');
  bar.append(input, make('span', {id: 'count', role: 'status'}), wrap, theme, legend());
  document.addEventListener('keydown', event => {
    if (event.key === '/' && event.target !== input) {
      event.preventDefault();
      input.focus();
    } else if (event.key === 'Escape') {
      highlights.release();
      describe([]);
    }
  });
}

const root = document.documentElement;
const useTheme = theme => { root.dataset.theme = theme; };

function start() {
  useTheme(window.matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light');
  document.getElementById('title').textContent = data.title;
  const summary = [data.signature, `${Math.round(100 * data.share)} % native`];
  if (data.memory !== null) summary.push(`${few(data.memory)} bytes of arrays`);
  if (data.seconds !== null) summary.push(`took ${duration(data.seconds)}`);
  document.getElementById('summary').textContent = summary.join(' \u00b7 ');
  listing('source', 'Source', sourceRows());
  listing('generated', 'Generated code', data.generated.flatMap(generatedRows));
  graphPane();
  listing('program', 'Schedule and program', rowsOf(data.program));
  listing('kernels', 'Kernel source', kernelRows(kernel => kernel), '', data.why_no_kernels);
  const machineCode = listing('assembly', 'Machine code', kernelRows(kernel => kernel.assembly), '', data.why_no_kernels);
  otherForm(machineCode, 'Intel syntax');
  listing('numpy', 'NumPy program', rowsOf(data.numpy));
  flamePane();
  tracesPane();
  tools();
  arrange();
  view.show(view.step);
  window.addEventListener('resize', arrange);
  if (data.live) follow(data.live);
}

/* Loads the page again when the server has a new one, which then looks as this one does. */
function follow(address) {
  const key = `looks ${window.name}`;  // of two versions, each has its own
  const kept = JSON.parse(sessionStorage.getItem(key) || 'null');
  if (kept) look(kept);
  window.addEventListener('pagehide', () => sessionStorage.setItem(key, JSON.stringify(looks())));
  new EventSource(address).onmessage = () => window.parent.location.reload();
}

const linesOf = section => section.querySelector('.lines');

/* What is shown, and where: the theme, the panes, the pass, the place in the graph and in the lines. */
function looks() {
  const panes = [...document.querySelectorAll('.pane')];
  return {
    theme: root.dataset.theme,
    panes: panes.map(section => [section.id, !section.hidden, linesOf(section) ? linesOf(section).scrollTop : 0]),
    whole: (document.querySelector('.whole') || {}).id,
    step: data.steps[view.step].title,
    graph: [view.x, view.y, view.scale],
  };
}

function look({theme, panes, whole, step, graph}) {
  useTheme(theme);
  for (const [id, isShown] of panes) if (document.getElementById(id).hidden === isShown) toggles.get(id).click();
  if (whole) document.querySelector(`#${whole} .alone`).click();
  const index = data.steps.findIndex(one => one.title === step);
  if (index >= 0 && index !== view.step) chooseStep(index);
  [view.x, view.y, view.scale] = graph;
  view.place();
  for (const [id, , top] of panes) {
    const lines = linesOf(document.getElementById(id));
    if (lines) lines.scrollTop = top;
  }
}

start();
