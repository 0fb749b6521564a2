// The options of a question as a form.
import type { Bench, Field } from './types';

export type Values = Record<string, string | boolean>;

const wide = new Set(['files', 'texts']);

export function FieldInput(props: { field: Field; prefix: string; value: string | boolean | undefined; bench: Bench; set: (value: string | boolean) => void }) {
  const { field, bench } = props;
  const id = `${props.prefix}-${field.name.replaceAll(' ', '-')}`;
  const text = typeof props.value === 'string' ? props.value : '';
  const about = `${id}-about`;
  const common = { id, 'aria-describedby': about };
  const listed = field.kind === 'file' ? bench.files : field.kind === 'role' ? bench.roles : field.kind === 'protocol' ? bench.protocols : null;
  const change = (event: Event) => props.set((event.target as HTMLInputElement).value);
  if (field.kind === 'flag')
    return (
      <div class="field flag">
        <input type="checkbox" {...common} checked={props.value === true} onChange={(event) => props.set((event.target as HTMLInputElement).checked)} />
        <label for={id}>{field.name}</label>
        <span id={about} class="about">{field.about}</span>
      </div>
    );
  return (
    <div class="field">
      <label for={id}>{field.name}{field.needed && <span class="needed" title="needed"> *</span>}</label>
      {field.kind === 'choice' ? (
        <select {...common} value={text} onChange={change}>{field.choices!.map((one) => <option value={one} key={one}>{one || 'default'}</option>)}</select>
      ) : wide.has(field.kind) ? (
        <textarea {...common} rows={Math.max(text.split('\n').length, 1)} value={text} onInput={change} spellcheck={false} />
      ) : (
        <input {...common} type="text" inputMode={field.kind === 'number' ? 'numeric' : undefined} list={listed ? `${id}-list` : undefined} value={text} onInput={change} spellcheck={false} autocomplete="off" required={field.needed} />
      )}
      {listed && <datalist id={`${id}-list`}>{listed.map((one) => <option value={one} key={one} />)}</datalist>}
      <span id={about} class="about">{field.about}</span>
    </div>
  );
}

// What is known already: the file that is shown, and its first role where one is needed.
export function filled(fields: Field[], values: Values, bench: Bench): Values {
  const out: Values = {};
  for (const field of fields) {
    if (values[field.name] !== undefined) out[field.name] = values[field.name];
    else if (field.kind === 'file' && field.needed) out[field.name] = bench.path;
    else if (field.kind === 'role' && field.needed) out[field.name] = bench.roles[0] ?? '';
    else if (field.kind === 'choice') out[field.name] = field.choices![0];
  }
  return out;
}

export function FormFields(props: { fields: Field[]; prefix: string; values: Values; bench: Bench; set: (name: string, value: string | boolean) => void }) {
  return (
    <>
      {props.fields.map((field) => (
        <FieldInput key={field.name} field={field} prefix={props.prefix} value={props.values[field.name]} bench={props.bench} set={(value) => props.set(field.name, value)} />
      ))}
    </>
  );
}
