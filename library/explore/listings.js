/* Panes of lines: source, generated code, programs, kernels, machine code. */
const KEYWORDS = new Set(('and as assert async await break class continue def del elif else except False finally for ' +
  'from global if import in is lambda None nonlocal not or pass raise return True try while with yield nest call ' +
  'branch loop invoke free').split(' '));
const TOKEN = /(#.*$)|("(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*')|(\b\d[\w.]*)|([A-Za-z_]\w*)/g;
const COLORED_LINES = 4000;
const BLOCK = 100;  // lines that are laid out together: with each on its own, the Tab key takes minutes

/* How far a line is from the first line of its box. */
const topIn = (box, line) => line.getBoundingClientRect().top - box.getBoundingClientRect().top + box.scrollTop;

function colored(line) {
  const parts = [];
  let end = 0;
  for (const match of line.matchAll(TOKEN)) {
    const [word, comment, string, number, name] = match;
    const style = comment ? 'comment' : string ? 'string' : number ? 'literal' : KEYWORDS.has(name) ? 'keyword' : null;
    if (!style) continue;
    parts.push(line.slice(end, match.index), make('span', {class: style}, word));
    end = match.index + word.length;
  }
  return [...parts, line.slice(end)];
}

/* A pane with a head; returns its parts. */
function pane(name, title, note) {
  const head = make('div', {class: 'head'}, make('h2', {id: `${name}-title`}, title));
  if (note) head.append(make('span', {class: 'note'}, note));
  const section = make('section', {class: 'pane', id: `pane-${name}`, 'aria-labelledby': `${name}-title`}, head);
  document.getElementById('panes').append(section);
  return {section, head};
}

/* Fills a pane with rows {number, line, nodes, spots, differs}, or {title}. */
function listing(name, title, rows, note, message) {
  const {section, head} = pane(name, title, note);
  if (!rows.length) {
    section.append(make('div', {class: 'message'}, message || 'Nothing here.'));
    return {section, head};
  }
  const inside = make('div', {class: 'inside'});
  const elements = [];
  const others = [];  // lines that have another form, and where they are shown
  let block;
  for (const [index, row] of rows.entries()) {
    if (index % BLOCK === 0) {
      block = make('div', {class: 'block', style: `--lines:${Math.min(BLOCK, rows.length - index)}`});
      inside.append(block);
    }
    if (row.title !== undefined) {
      block.append(make('div', {class: 'line title'}, row.title));
      continue;
    }
    const code = make('span', {class: 'code'}, ...(rows.length > COLORED_LINES ? [row.line] : colored(row.line)));
    const element = make('div', {class: row.differs ? 'line differs' : 'line', role: 'option', id: `${name}-${index}`},
      make('span', {class: 'number', 'aria-hidden': 'true'}, String(row.number)), code);
    highlights.enter(name, element, row.nodes || [], row.spots || []);
    if (row.other !== undefined) others.push([code, row]);
    searchable(element, row.line);
    elements.push(element);
    block.append(element);
  }
  section.append(lineBox(name, title, inside, elements));
  return {section, head, others};
}

/* A button that shows the other form of each line of a pane, if they have one. */
function otherForm({head, others}, words) {
  if (!others || !others.length) return;
  const button = make('button', {type: 'button', 'aria-pressed': 'false', onclick: () => {
    const isOther = button.getAttribute('aria-pressed') === 'false';
    button.setAttribute('aria-pressed', String(isOther));
    for (const [code, row] of others) code.replaceChildren(...colored(isOther ? row.other : row.line));
  }}, words);
  head.append(make('span', {class: 'space'}), button);
}

/* The scrolling box of lines: the mouse points, arrow keys move, Enter keeps what is lit. */
function lineBox(name, title, inside, elements) {
  const box = make('div', {class: 'lines', role: 'listbox', tabindex: '0', 'aria-label': title}, inside);
  let active = null;
  const activate = element => {
    if (!element) return;
    if (active) active.classList.remove('active');
    active = element;
    active.classList.add('active');
    box.setAttribute('aria-activedescendant', active.id);
    const top = topIn(box, active);
    if (top < box.scrollTop) box.scrollTop = top;
    if (top + active.offsetHeight > box.scrollTop + box.clientHeight) {
      box.scrollTop = top + active.offsetHeight - box.clientHeight;
    }
  };
  const choose = element => {
    activate(element);
    highlights.pin(element);
    describe(highlights.nodesOf(element));
  };
  const lineAt = event => event.target.closest('.line[id]');
  box.addEventListener('mouseover', event => highlights.hover(lineAt(event)));
  box.addEventListener('mouseleave', highlights.leave);
  box.addEventListener('click', event => { if (lineAt(event)) choose(lineAt(event)); });
  box.addEventListener('keydown', event => {
    const at = active ? elements.indexOf(active) : -1;
    const steps = {ArrowDown: at + 1, ArrowUp: at - 1, PageDown: at + 20, PageUp: at - 20,
      Home: 0, End: elements.length - 1};
    if (event.key in steps) {
      event.preventDefault();
      activate(elements[Math.min(Math.max(steps[event.key], 0), elements.length - 1)]);
      highlights.hover(active);
    } else if (event.key === 'Enter' && active) {
      choose(active);
    }
  });
  return box;
}
