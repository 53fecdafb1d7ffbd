// The form on the left: one control per field of the question, made from what the table has.

import { Chips } from "./chips.js";
import { breakable, count, element, fill, name } from "./dom.js";
import { DEFAULTS } from "./question.js";

let made = 0;

function field(label, control, hint = null) {
  const id = control.id || `control-${(made += 1)}`;
  control.id = id;
  // The form is made anew with every change, and the keyboard stays where it was.
  control.dataset.key ??= `field ${label}`;
  const about = hint ? element("p", { class: "hint", id: `${id}-hint` }, hint) : null;
  if (about) control.setAttribute("aria-describedby", about.id);
  const complaint = element("p", { class: "complaint", id: `${id}-complaint`, hidden: true });
  return element("div", { class: "field" }, element("label", { htmlFor: id }, label), control, about, complaint);
}

// Options are [value, text, {group, disabled}]; those of one group stand together, where the first of it does.
function select(options, value, onchange) {
  const control = element("select", { onchange: () => onchange(control.value) });
  const groups = new Map();
  const several = new Set(options.map(([, , how]) => how?.group)).size > 1;
  for (const [key, text, { group, disabled } = {}] of options) {
    const made = element("option", { value: key, disabled: disabled ?? false }, text);
    if (!group || !several) {
      control.append(made);
      continue;
    }
    if (!groups.has(group)) {
      groups.set(group, element("optgroup", { label: group }));
      control.append(groups.get(group));
    }
    groups.get(group).append(made);
  }
  control.value = value ?? options[0]?.[0] ?? "";
  return control;
}

const titled = (entries) => entries.map((entry) => [entry.name, entry.title, { group: entry.group }]);

export class Controls {
  // `change` gets what is new of the question, such as {alpha: "0.01"}.
  constructor(form, methods, change) {
    this.form = form;
    this.methods = methods;
    this.change = change;
    this.fields = {};
    this.opened = {};
    form.addEventListener("submit", (event) => event.preventDefault());
    this.algorithms = new Chips({
      title: "Algorithms", singular: "algorithm", least: 2, change: (algorithms) => change({ algorithms }),
    });
    this.datasets = new Chips({
      title: "Data sets", singular: "data set", least: 1, folded: true, change: (datasets) => change({ datasets }),
    });
  }

  // Before a table can be read there is no question about it.
  clear() {
    this.fields = {};
    fill(this.form, element("p", { class: "quiet" }, "The question's choices appear here when there are results."));
  }

  show(question, table) {
    this.fields = {};
    // One value for each tells nothing: what would do nothing is not there.
    const tests = !this.one(question, table) || table.fold_tests.length || this.overItems(question, table);
    fill(
      this.form,
      this.algorithms.element,
      this.group("Score and cost", true, this.score(question, table), this.costs(question, table)),
      this.group("Who differs", true, this.over(question, table), this.test(question, table), tests ? [this.correction(question, table), this.alpha(question), this.control(question, table)] : null),
      tests ? this.group("Method of the order", false, this.method(question, table), this.passes(question, table)) : null,
      this.group("How sure", false, this.model(question, table)),
      table.datasets.length > 1 ? this.datasets.element : null,
      table.gaps || question.missing ? this.group("Missing scores", false, this.missing(question)) : null,
    );
    this.algorithms.set(table.algorithms, question.algorithms);
    this.datasets.set(table.datasets, question.datasets);
  }

  // What someone has opened stays open; a group in which nothing can be chosen is not there.
  group(title, open, ...fields) {
    if (!fields.flat(Infinity).some(Boolean)) return null;
    const group = element("details", { class: "group", open: this.opened[title] ?? open, ontoggle: () => (this.opened[title] = group.open) }, element("summary", { "data-key": `group ${title}` }, title), ...fields);
    return group;
  }

  keep(key, made) {
    this.fields[key] = made;
    return made;
  }

  complain(parameter, message) {
    for (const made of Object.values(this.fields)) {
      const about = made.querySelector(".complaint");
      if (about) about.hidden = true;
      made.querySelector("[aria-invalid]")?.removeAttribute("aria-invalid");
    }
    const made = this.fields[parameter];
    if (!made) return false;
    const about = made.querySelector(".complaint");
    const input = made.querySelector("select, input");
    about.textContent = message;
    about.hidden = false;
    input.setAttribute("aria-invalid", "true");
    made.closest("details")?.setAttribute("open", "");
    return true;
  }

  direction(question) {
    const options = [["", "as its name says"], ["true", "higher is better"], ["false", "lower is better"]];
    const control = select(options, question.higher_is_better ?? "", (value) =>
      this.change({ higher_is_better: value || undefined }),
    );
    return this.keep("higher_is_better", field("Direction", control));
  }

  score(question, table) {
    const control = select(
      table.scores.map((each) => [each, each]),
      table.measure.name,
      (score) => this.change({ score, higher_is_better: undefined }),
    );
    const fields = [this.keep("score", field("Score", control, table.measure.direction))];
    if (!table.direction_known || question.higher_is_better !== undefined) fields.push(this.direction(question));
    return fields;
  }

  costs(question, table) {
    const names = [...table.costs, ...table.others];
    if (!names.length) return this.keep("cost", element("p", { class: "hint" }, "The table has no costs: among equals the better ranked is first."));
    const chosen = question.cost ?? {};
    const none = Object.keys(chosen).length ? null : element("p", { class: "hint" }, "None chosen: among equals the better ranked is first.");
    const rows = names.map((each) => this.costRow(each, chosen));
    const about = element("p", { class: "complaint", hidden: true });
    return this.keep(
      "cost",
      element("fieldset", { class: "field costs" }, element("legend", {}, "Costs and weights"), none, rows, about),
    );
  }

  costRow(cost, chosen) {
    const inside = cost in chosen;
    const weight = element("input", {
      type: "number", min: "0.01", step: "any", value: String(chosen[cost] ?? 1), hidden: !inside,
      "aria-label": `Weight of ${cost}`, "data-key": `weight ${cost}`, onchange: () => set(true),
    });
    const tick = element("input", { type: "checkbox", checked: inside, "data-key": `cost ${cost}`, onchange: () => set(tick.checked) });
    const set = (on) => {
      const next = { ...chosen };
      delete next[cost];
      weight.hidden = !on;
      if (on) next[cost] = Number(weight.value);
      this.change({ cost: next });
    };
    return element("div", { class: "cost" }, element("label", {}, tick, " ", name(cost, 40, breakable)), weight);
  }

  // One data set is judged by its folds, whatever the method.
  one(question, table) {
    return (question.datasets ?? table.datasets).length === 1;
  }

  // What the verdict generalises to unless it is said: a test that is for the one or the other says it, too.
  usualOver(question, table) {
    if (!table.has_items || question.test || question.fold_test) return "datasets";
    const few = (question.datasets ?? table.datasets).length < this.methods.enough_datasets;
    return few || question.item_test ? "items" : "datasets";
  }

  overItems(question, table) {
    return (question.over ?? this.usualOver(question, table)) === "items";
  }

  over(question, table) {
    if (!table.has_items) return null;
    const options = [["datasets", "other data sets"], ["items", "other items of these data sets"]];
    const now = question.over ?? this.usualOver(question, table);
    const hint = now === "items" ? "These data sets, other items." : "Other data sets like these.";
    const control = select(options, now, (over) => {
      // A test over data sets is none over items, and the other way round.
      const next = { ...question, test: undefined, fold_test: undefined, item_test: undefined };
      const same = over === this.usualOver(next, table);
      const correction = this.allowed({ ...next, over }, table).includes(question.correction ?? DEFAULTS.correction) ? {} : { correction: "holm" };
      const method = over === "items" ? { method: undefined } : {};
      this.change({ over: same ? undefined : over, test: undefined, fold_test: undefined, item_test: undefined, ...correction, ...method });
    });
    return this.keep("over", field("What it generalises to", control, hint));
  }

  itemTest(question) {
    const [usual, ...others] = this.methods.item_tests;
    const control = select([["", usual.title], ...titled(others)], question.item_test ?? "", (value) =>
      this.change({ item_test: value || undefined }),
    );
    return this.keep("item_test", field("Test", control));
  }

  test(question, table) {
    if (this.overItems(question, table)) return this.itemTest(question);
    if (this.one(question, table)) return this.foldTest(question, table);
    const control = select(titled(this.methods.tests), question.test ?? table.usual_test, (test) => {
      const allowed = this.allowed({ ...question, test }, table);
      const correction = question.correction ?? DEFAULTS.correction;
      this.change(allowed.includes(correction) ? { test } : { test, correction: allowed.includes("holm") ? "holm" : allowed[0] });
    });
    return this.keep("test", field("Test", control));
  }

  allowed(question, table) {
    const test = question.test ?? table.usual_test;
    const found = this.overItems(question, table) ? this.methods.item_corrections : this.methods.corrections[test];
    return found?.[question.control ? "control" : "all"] ?? [];
  }

  // What a correction can be worked out for, where there is more.
  tooMany({ most_algorithms, most_pairs }, question, table) {
    const k = (question.algorithms ?? table.algorithms).length;
    const pairs = question.control ? k - 1 : (k * (k - 1)) / 2;
    if (most_algorithms !== null && k > most_algorithms) return count(most_algorithms, "algorithm");
    return most_pairs !== null && pairs > most_pairs ? count(most_pairs, "pair") : null;
  }

  correction(question, table) {
    const allowed = this.allowed(question, table);
    const known = this.methods.known_corrections.filter((each) => allowed.includes(each.name));
    const options = known.map((each) => {
      const most = this.tooMany(each, question, table);
      return [each.name, most ? `${each.title} (at most ${most})` : each.title, { group: each.group, disabled: Boolean(most) }];
    });
    const control = select(options, question.correction ?? DEFAULTS.correction, (correction) => this.change({ correction }));
    return this.keep("correction", field("Correction", control));
  }

  alpha(question) {
    const input = element("input", {
      type: "number", min: "0.0001", max: "0.9999", step: "0.005", value: question.alpha ?? DEFAULTS.alpha,
      "data-key": "alpha", oninput: () => this.change({ alpha: input.value }, { typing: true }),
    });
    return this.keep("alpha", field("Significance level α", input));
  }

  control(question, table) {
    const options = [["", "all pairs"], ...table.algorithms.map((each) => [each, each])];
    const control = select(options, question.control ?? "", (value) => {
      const allowed = this.allowed({ ...question, control: value }, table);
      const correction = question.correction ?? DEFAULTS.correction;
      this.change({ control: value || undefined, ...(allowed.includes(correction) ? {} : { correction: "holm" }) });
    });
    return this.keep("control", field("Against a control", control));
  }

  method(question, table) {
    const folds = table.fold_tests.length && !this.overItems(question, table);
    const paper = this.one(question, table) ? "multitest" : "multi2test";
    const entry = this.methods.orders.find((each) => each.name === paper);
    const options = [["auto", "by the pairs above"], ...(folds ? [[paper, `${entry.title}, as in the paper`]] : [])];
    // One that was asked for in a link stays to be seen.
    const asked = this.methods.orders.find((each) => each.name === question.method);
    if (question.method && !options.some(([key]) => key === question.method)) options.push([question.method, asked?.title ?? question.method]);
    if (options.length === 1) return null;
    const control = select(options, question.method ?? DEFAULTS.method, (method) => this.change({ method }));
    return this.keep("method", field("Method", control));
  }

  // What the papers' methods take besides.
  passes(question, table) {
    if ([undefined, "auto", "pairwise"].includes(question.method)) return [];
    const folds = this.one(question, table) ? [] : [this.foldTest(question, table)];
    return question.method === "multi2test" ? [...folds, this.posthoc(question)] : folds;
  }

  foldTest(question, table) {
    if (!table.fold_tests.length) return element("p", { class: "hint" }, "No folds that all share: no test is possible.");
    const fitting = this.methods.fold_tests.filter((each) => table.fold_tests.includes(each.name));
    const options = [["", "what fits the folds"], ...titled(fitting)];
    const control = select(options, question.fold_test ?? "", (value) => this.change({ fold_test: value || undefined }));
    return this.keep("fold_test", field("Test on folds", control));
  }

  posthoc(question) {
    const options = [["", "Nemenyi, or what fits"], ...titled(this.methods.posthocs)];
    const control = select(options, question.posthoc ?? "", (value) => this.change({ posthoc: value || undefined }));
    return this.keep("posthoc", field("Second pass, over data sets", control));
  }

  model(question, table) {
    const one = this.one(question, table);
    const fits = (each) => table.models.includes(each.name) && (one ? each.for_one : each.for_many);
    const fitting = this.methods.models.filter((each) => fits(each) || each.name === question.model);
    if (!fitting.length) return null;
    const options = [["", "none"], ...titled(fitting)];
    const control = select(options, question.model ?? "", (value) => this.change({ model: value || undefined }));
    return [this.keep("model", field("Bayesian model", control)), this.rope(question)];
  }

  rope(question) {
    const input = element("input", {
      type: "text", inputmode: "decimal", value: question.rope ?? "", placeholder: "none, auto, 0.01 …", "data-key": "rope",
      onchange: () => this.change({ rope: input.value.trim() || undefined }),
    });
    return this.keep("rope", field("Region of practical equivalence", input, "Differences within ± this are practically none."));
  }

  missing(question) {
    const options = [["", "each pair where both have one"], ["drop-datasets", "only complete data sets"], ["drop-algorithms", "only complete algorithms"], ["worst", "count as the worst there"], ["error", "refuse them"]];
    if (question.missing && !options.some(([key]) => key === question.missing)) options.push([question.missing, question.missing]);
    const control = select(options, question.missing ?? "", (value) => this.change({ missing: value || undefined }));
    return this.keep("missing", field("Missing scores", control));
  }
}
