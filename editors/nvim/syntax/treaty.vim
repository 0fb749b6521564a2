" Colours of .treaty files in Vim and Neovim, without a server.
if exists('b:current_syntax')
  finish
endif

" Names have letters of any script, digits, _ and '.
syntax iskeyword @,48-57,_,39,192-255

syntax keyword treatyDeclaration message enum record type const function predicate protocol wire property import
syntax keyword treatyStep choice par repeat rec continue if else when match while optional try interrupt let signal wait do then
syntax keyword treatyWord at over where within after expect forbid
syntax keyword treatyOperator and or not implies in matches mod permutes xor
syntax keyword treatyConstant true false none
syntax keyword treatyType bool int real string bytes
syntax match treatyType /\<\%(list\|set\|map\|optional\)\ze\s*</
syntax match treatyOperator /\<\%(all\|any\|count\)\ze\s\+\k\+\s\+in\>/
syntax match treatyOperator /\<fold\ze\s\+\k\+\s*=/
syntax match treatyOperator /\<for\ze\s\+\k\+\s\+in\>/
syntax match treatyOperator /\%(\k\|[)\]}"]\)\s\+\zs\%(with\|without\)\>\ze\s\+[^-:,)=]/
syntax match treatyNumber /\<\%(0x\x\+\|\d\+\%(\.\d\+\)\?\%(us\|ms\|s\|m\|h\)\?\|[1-5]xx\)\>/
syntax match treatyArrow /->/
syntax match treatyRole /\k\+\ze\s*->/
syntax match treatyMessage /\%(->[^:"]*:\s*\)\@<=\k\+/
syntax match treatyEscape /\\\%([nrt\\"]\|x\x\x\)/ contained
syntax region treatyString start=/"/ skip=/\\./ end=/"/ oneline contains=treatyEscape
syntax match treatyBytes /0x"[^"]*"/
syntax region treatyPattern start=+\%(\%(matches\|[:=("/]\)\s*\)\@<=/[/*]\@!+ skip=+\\.\|\[\%(\\.\|[^]]\)*\]+ end=+/i\?+ oneline
syntax match treatyComment +//.*$+ contains=treatyTodo,@Spell
syntax region treatyComment start=+/\*+ end=+\*/+ contains=treatyTodo,@Spell
syntax keyword treatyTodo TODO FIXME XXX contained

highlight default link treatyDeclaration Structure
highlight default link treatyStep Statement
highlight default link treatyWord Keyword
highlight default link treatyOperator Operator
highlight default link treatyArrow Operator
highlight default link treatyConstant Constant
highlight default link treatyType Type
highlight default link treatyNumber Number
highlight default link treatyRole Identifier
highlight default link treatyMessage Function
highlight default link treatyString String
highlight default link treatyBytes String
highlight default link treatyEscape SpecialChar
highlight default link treatyPattern String
highlight default link treatyComment Comment
highlight default link treatyTodo Todo

let b:current_syntax = 'treaty'
