-- The session of check_editors.py with Neovim: a diagnostic, colours, its quick fix, a rename, formatting. Exits with 1 at the first step
-- that fails.
local path = os.getenv('TREATY_FILE')

local function fail(what)
  io.stderr:write(what .. '\n')
  vim.cmd('cquit 1')
end

local function wait(what, condition)
  if not vim.wait(30000, condition, 20) then fail('timeout: ' .. what) end
end

local function text() return table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), '\n') end

local function session()
  require('treaty').setup({ cmd = { os.getenv('TREATY'), 'lsp', '--pause', '20ms' } })
  vim.cmd('edit ' .. vim.fn.fnameescape(path))
  wait('diagnostic', function() return #vim.diagnostic.get(0) > 0 end)
  local found = vim.diagnostic.get(0)[1]
  if found.code ~= 'T0202' or found.lnum ~= 3 or found.col ~= 11 then fail('another diagnostic: ' .. vim.inspect(found)) end

  vim.cmd('syntax on')
  local function colour(line, column) return vim.fn.synIDattr(vim.fn.synID(line, column, 1), 'name') end
  for _, one in ipairs({ { 1, 1, 'treatyDeclaration' }, { 1, 21, 'treatyType' }, { 4, 3, 'treatyRole' }, { 4, 9, 'treatyArrow' },
    { 5, 3, 'treatyStep' }, { 6, 22, 'treatyMessage' } }) do
    if colour(one[1], one[2]) ~= one[3] then fail('colour at ' .. one[1] .. ':' .. one[2] .. ': ' .. colour(one[1], one[2])) end
  end

  vim.api.nvim_win_set_cursor(0, { found.lnum + 1, found.col })
  local params = vim.lsp.util.make_range_params()
  params.context = { diagnostics = { found.user_data.lsp and vim.tbl_extend('keep', { code = found.code, message = found.message,
    range = { start = { line = found.lnum, character = found.col }, ['end'] = { line = found.end_lnum, character = found.end_col } } },
    found.user_data.lsp) } }
  local answers = vim.lsp.buf_request_sync(0, 'textDocument/codeAction', params, 30000)
  for _, answer in pairs(answers or {}) do
    vim.lsp.util.apply_workspace_edit(answer.result[1].edit, 'utf-16')
  end
  wait('the quick fix clears the error', function()
    return text():find('buyer %-> seller: order') and #vim.diagnostic.get(0, { severity = vim.diagnostic.severity.ERROR }) == 0
  end)

  vim.lsp.buf.rename('vendor')
  wait('rename', function() return text():find('Shop%(buyer, vendor%)') and not text():find('seller') end)

  if vim.lsp.buf.format then vim.lsp.buf.format({ timeout_ms = 30000 }) else vim.lsp.buf.formatting_sync(nil, 30000) end
  vim.cmd('write')
end

local ok, fault = pcall(session)
if not ok then fail(tostring(fault)) end
vim.cmd('quitall!')
