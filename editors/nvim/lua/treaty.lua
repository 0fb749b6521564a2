-- Treaty for Neovim (0.7 or later): starts `treaty lsp` for the files that Treaty reads.
--
--   require('treaty').setup()                                  -- treaty is in the PATH
--   require('treaty').setup({ cmd = { '/opt/bin/treaty', 'lsp' } })
--
-- Commands for the protocol under the cursor: :TreatyCheck, :TreatyExplore, :TreatyProject, :TreatyDraw open the answer
-- in a window; :TreatyStep opens a terminal.
local M = {}

local extensions = { 'treaty', 'gc', 'fsa', 'scr', 'nuscr', 'csp', 'schora', 'pnml' }
local options = { cmd = { 'treaty', 'lsp' }, on_attach = nil }
local clients = {} -- by root folder, where Neovim does not keep them itself

local function root_of(path)
  local folder = vim.fn.fnamemodify(path, ':p:h')
  local git = vim.fn.finddir('.git', folder .. ';')
  return git ~= '' and vim.fn.fnamemodify(git, ':p:h:h') or folder
end

local function start(buffer)
  local root = root_of(vim.api.nvim_buf_get_name(buffer))
  local config = { name = 'treaty', cmd = options.cmd, root_dir = root, on_attach = options.on_attach,
    workspace_folders = { { uri = vim.uri_from_fname(root), name = root } } }
  if vim.lsp.start then return vim.lsp.start(config, { bufnr = buffer }) end
  if not clients[root] or vim.lsp.client_is_stopped(clients[root]) then clients[root] = vim.lsp.start_client(config) end
  if clients[root] then vim.lsp.buf_attach_client(buffer, clients[root]) end
end

-- The name of the protocol that the cursor is in, or the last one before it.
local function protocol_here()
  for line = vim.fn.line('.'), 1, -1 do
    local name = vim.fn.getline(line):match('^%s*protocol%s+([^%s(]+)')
    if name then return name end
  end
  return ''
end

local function show(lines)
  vim.cmd('botright new')
  vim.api.nvim_buf_set_lines(0, 0, -1, false, lines)
  vim.bo.buftype, vim.bo.bufhidden, vim.bo.swapfile, vim.bo.modifiable = 'nofile', 'wipe', false, false
end

function M.run(command)
  local params = { command = command, arguments = { { uri = vim.uri_from_bufnr(0), protocol = protocol_here() } } }
  vim.lsp.buf_request(0, 'workspace/executeCommand', params, function(fault, result)
    if fault then return vim.notify(fault.message, vim.log.levels.ERROR) end
    if result.terminal then return vim.fn.feedkeys(':botright new | terminal ' .. result.terminal, 'n') end
    show(vim.split(result.text, '\n'))
  end)
end

function M.setup(given)
  options = vim.tbl_extend('force', options, given or {})
  local group = vim.api.nvim_create_augroup('treaty', { clear = true })
  for _, extension in ipairs(extensions) do
    local pattern = '*.' .. extension
    vim.api.nvim_create_autocmd({ 'BufRead', 'BufNewFile' }, { group = group, pattern = pattern, callback = function(event)
      vim.bo[event.buf].filetype = extension
      if extension == 'treaty' then vim.bo[event.buf].commentstring = '// %s' end
      start(event.buf)
    end })
  end
  for name, command in pairs({ Check = 'check', Explore = 'explore', Project = 'project', Draw = 'draw', Step = 'step' }) do
    vim.api.nvim_create_user_command('Treaty' .. name, function() M.run('treaty.' .. command) end, {})
  end
end

return M
