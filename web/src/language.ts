// Colours for Treaty's own notation; what words mean is the language server's business.
import { HighlightStyle, StreamLanguage, syntaxHighlighting } from '@codemirror/language';
import { tags } from '@lezer/highlight';

const declarations = /^(?:message|enum|record|type|const|function|predicate|protocol|property|wire|import)\b/;
const keywords =
  /^(?:after|at|choice|continue|do|else|expect|forbid|if|interrupt|let|match|over|par|rec|signal|then|try|wait|when|where|while|within|optional|repeat|or|with|without)\b/;
const operators = /^(?:and|implies|in|matches|mod|not|permutes|xor|all|any|count|fold|for)\b/;
const types = /^(?:bool|int|real|string|bytes|list|set|map)\b/;

export const treatyLanguage = StreamLanguage.define<{ comment: boolean }>({
  name: 'treaty',
  startState: () => ({ comment: false }),
  token(stream, state) {
    if (state.comment) {
      if (stream.match(/^.*?\*\//)) state.comment = false;
      else stream.skipToEnd();
      return 'comment';
    }
    if (stream.eatSpace()) return null;
    if (stream.match('//')) {
      stream.skipToEnd();
      return 'comment';
    }
    if (stream.match('/*')) {
      state.comment = true;
      return 'comment';
    }
    if (stream.match(/^"(?:[^"\\]|\\.)*"?/)) return 'string';
    if (stream.match(/^(?:0x[0-9a-fA-F]+|[0-9]+(?:\.[0-9]+)?(?:us|ms|s|m|h)?)\b/)) return 'number';
    if (stream.match(declarations)) return 'definitionKeyword';
    if (stream.match(keywords)) return 'keyword';
    if (stream.match(operators)) return 'operatorKeyword';
    if (stream.match(/^(?:true|false|none)\b/)) return 'bool';
    if (stream.match(types)) return 'typeName';
    if (stream.match(/^->|^[=!<>]=|^\.\.|^[-+*/<>=]/)) return 'operator';
    if (stream.match(/^[\p{L}_][\p{L}\p{N}_']*/u)) return 'variableName';
    stream.next();
    return null;
  },
  languageData: { commentTokens: { line: '//', block: { open: '/*', close: '*/' } }, closeBrackets: { brackets: ['(', '{', '[', '"'] } },
});

export const colours = syntaxHighlighting(
  HighlightStyle.define([
    { tag: tags.comment, color: 'var(--code-comment)' },
    { tag: [tags.keyword, tags.definitionKeyword], color: 'var(--code-keyword)', fontWeight: '600' },
    { tag: tags.operatorKeyword, color: 'var(--code-keyword)' },
    { tag: tags.string, color: 'var(--code-string)' },
    { tag: [tags.number, tags.bool], color: 'var(--code-number)' },
    { tag: tags.typeName, color: 'var(--code-type)' },
    { tag: tags.operator, color: 'var(--muted)' },
  ]),
);
