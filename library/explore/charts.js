/* Pictures of time: the bars of one run by line, and the traces of the function one after another. */
const LANES = 8;  // rows of traces that would stand above one another
const LEAST_SHARE = 0.05;  // of the width: a bar that holds the number of its trace
const HOT = 0.2, WARM = 0.05;  // shares of the time that are colored

/* A bar that lights its lines while the pointer or the focus is on it. */
function bar(words, label, share, spots) {
  const heat = share >= HOT ? ' hot' : share >= WARM ? ' warm' : '';
  const button = make('button', {type: 'button', class: `bar${heat}`, title: label, 'aria-label': label}, words);
  highlights.point(button, spots);
  for (const event of ['mouseenter', 'focus']) button.addEventListener(event, () => highlights.hover(button));
  for (const event of ['mouseleave', 'blur']) button.addEventListener(event, highlights.leave);
  button.addEventListener('click', () => highlights.pin(button));
  return button;
}

const sum = rows => rows.reduce((total, row) => total + row.seconds, 0);

function grouped(rows, key) {
  const groups = new Map();
  for (const row of rows) groups.set(key(row), [...(groups.get(key(row)) || []), row]);
  return [...groups.entries()].sort((one, other) => sum(other[1]) - sum(one[1]));
}

/* The user's line at a location, without what is left of it. */
function lineAt(spot) {
  const [file, line] = data.spots[spot];
  const block = data.sources.find(one => one.file === data.files[file] && one.first <= line &&
    line < one.first + one.lines.length);
  return block ? block.lines[line - block.first].trim() : '';
}

/* Bars as wide as the time: functions, their lines, the operations of a line. */
function flamePane() {
  const {section} = pane('flame', 'Time by line', 'one run on NumPy, operation by operation');
  if (!data.flame.length) {
    section.append(make('div', {class: 'message'}, `Not timed. ${data.why_no_flame || ''}`));
    return;
  }
  const total = sum(data.flame);
  const column = (rows, whole, title, inner) => {
    const own = sum(rows), spots = [...new Set(rows.map(row => row.spot))];
    const label = `${title}: ${duration(own)}, ${(100 * own / total).toFixed(1)} %`;
    return make('div', {class: 'column', style: `width:${100 * own / whole}%`},
      bar(title, label, own / total, spots), make('div', {class: 'row'}, ...inner(rows)));
  };
  const operations = rows => grouped(rows, row => row.op).map(([op, some]) => column(some, sum(rows), op, () => []));
  const lines = rows => grouped(rows, row => row.spot).map(([spot, some]) =>
    column(some, sum(rows), `${place(spot)}  ${lineAt(spot)}`, operations));
  const functions = grouped(data.flame, row => row.function).map(([name, some]) => column(some, total, name, lines));
  section.append(make('div', {class: 'flame'}, make('div', {class: 'row'}, ...functions)));
}

/* The traces of the function: bars on an axis of time, and the reason of each below. */
function tracesPane() {
  const {traces} = data;
  const {section} = pane('traces', 'Traces', traces.length > 1 ? `${traces.length} traces took ${duration(sum(traces))}` : '');
  if (!traces.length) {
    section.append(make('div', {class: 'message'}, 'It is not known when the function was traced.'));
    return;
  }
  const items = traces.map(reasons);
  section.append(make('div', {class: 'traces'}, timeline(traces, items), make('ol', {}, ...items)));
}

function reasons(trace) {
  const cause = trace.isForPage ? 'for this page, ' : trace.where && `by the call at ${trace.where}, `;
  const head = `after ${duration(trace.began)}, ${cause}in ${duration(trace.seconds)}`;
  const why = trace.changes.map(change =>
    make('div', {}, `${change.place}: was ${change.before}, is ${change.after}. ${change.cure}`));
  return make('li', {value: trace.number}, make('strong', {}, head), ...(why.length ? why : [make('div', {}, 'the first trace')]));
}

function timeline(traces, items) {
  const end = Math.max(...traces.map(trace => trace.began + trace.seconds)) || 1;
  const free = [];  // where the bars of each lane end
  const bars = traces.map((trace, index) => {
    const share = Math.max(trace.seconds / end, LEAST_SHARE);
    const left = Math.min(trace.began / end, 1 - share);
    const fitting = free.findIndex(edge => edge <= left);
    const lane = fitting >= 0 ? fitting : Math.min(free.length, LANES - 1);
    free[lane] = left + share;
    const why = trace.changes.map(change => `${change.place}: was ${change.before}, is ${change.after}`).join('; ');
    const label = `Trace ${trace.number} after ${duration(trace.began)}, took ${duration(trace.seconds)}. ${why || 'The first.'}`;
    const button = bar(String(trace.number), label, 0, [trace.spot]);
    button.style.cssText = `left:${100 * left}%;width:${100 * share}%;top:${1.8 * lane}em`;
    button.addEventListener('click', () => {
      for (const item of items) item.classList.toggle('chosen', item === items[index]);
      items[index].scrollIntoView({block: 'nearest'});
    });
    return button;
  });
  const marks = [0, 1, 2, 3, 4].map(part => make('span', {}, part ? duration(end * part / 4) : '0 s'));
  return make('div', {class: 'timeline', role: 'group', 'aria-label': 'Traces over time'},
    make('div', {class: 'track', style: `height:${1.8 * free.length}em`}, ...bars), make('div', {class: 'axis'}, ...marks));
}
