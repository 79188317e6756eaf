-- Run by tests/clients/run: nvim --headless -u NONE -S neovim.lua, with FAULTBOOK, PLUGIN and PROJECT set.
-- Keeps to what Neovim 0.7 has, which Debian 12 ships.
local faultbook, plugin, project = vim.env.FAULTBOOK, vim.env.PLUGIN, vim.env.PROJECT
local ok, failure = pcall(function()
local function check(ok, says)
  if not ok then error(says, 2) end
end
vim.opt.runtimepath:append(plugin)
vim.cmd("runtime plugin/faultbook.lua")
local fb = require("faultbook")
fb.setup({ cmd = { faultbook, "lsp" } })
vim.cmd("edit " .. project .. "/run.log")
vim.bo.filetype = "log"
check(vim.wait(20000, function() return #vim.diagnostic.get(0) > 0 end, 20), "no diagnostic")
local mark = vim.diagnostic.get(0)[1]
check(mark.code == "cudnn-no-engine" and mark.lnum == 3, vim.inspect(mark))

local function request(method, params)
  local results = vim.lsp.buf_request_sync(0, method, params, 10000)
  local _, result = next(results or {})
  check(result and not result.err, method .. ": " .. vim.inspect(results))
  return result.result
end
local document = { uri = vim.uri_from_bufnr(0) }
local place = { line = 3, character = 12 }
local hover = request("textDocument/hover", { textDocument = document, position = place })
check(hover.contents.value:find("Most likely", 1, true), vim.inspect(hover))
local actions = request("textDocument/codeAction", {
  textDocument = document, range = { start = place, ["end"] = place }, context = { diagnostics = {} },
})
local opened
for _, action in ipairs(actions) do
  if action.command and action.command.command == "faultbook.openPage" then
    opened = request("workspace/executeCommand", { command = action.command.command, arguments = action.command.arguments })
  end
end
check(opened and vim.fn.filereadable(vim.uri_to_fname(opened)) == 1, "the page was not opened: " .. vim.inspect(actions))

-- As a user does it: the menu of code actions, the report opens, its file is there.
vim.ui.select = function(items, _, choose)
  for _, item in ipairs(items) do
    local action = item.action or item[2]
    if action.title == "Draft a bug report from this" then return choose(item) end
  end
  error("no such action: " .. vim.inspect(items))
end
local log = vim.api.nvim_get_current_buf()
local before = #vim.fn.glob(project .. "/docs/bug_reports/*.md", false, true)
vim.api.nvim_win_set_cursor(0, { 4, 3 })
vim.lsp.buf.code_action()
check(vim.wait(20000, function() return vim.api.nvim_get_current_buf() ~= log end, 20), "the report was not opened")
local files = vim.fn.glob(project .. "/docs/bug_reports/*.md", false, true)
check(#files == before + 1, vim.inspect(files))
local report = vim.api.nvim_buf_get_name(0)
check(vim.tbl_contains(vim.tbl_map(vim.fn.resolve, files), vim.fn.resolve(report)), report .. " is not one of " .. vim.inspect(files))
local words = table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), "\n")
check(words:find("unable to find an engine", 1, true) and words:find("cudnn-no-engine", 1, true), words)
vim.api.nvim_set_current_buf(log)

-- A log pasted into a buffer that was never saved.
vim.cmd("enew")
vim.api.nvim_buf_set_lines(0, 0, -1, false, vim.fn.readfile(project .. "/run.log"))
vim.bo.filetype = "log"
check(vim.wait(20000, function() return #vim.diagnostic.get(0) > 0 end, 20), "no diagnostic in an unsaved buffer")
vim.cmd("bwipeout!")
vim.api.nvim_set_current_buf(log)

vim.cmd("Faultbook")
local list = vim.fn.getqflist()
check(#list > 0 and list[1].lnum == 4, vim.inspect(list))

vim.cmd("edit! " .. project .. "/model.py")
vim.bo.filetype = "python"
check(vim.wait(10000, function() return #vim.lsp.buf_get_clients(0) > 0 end, 20), "no client on python")
local goto_report = request("textDocument/definition", {
  textDocument = { uri = vim.uri_from_bufnr(0) }, position = { line = 0, character = 15 },
})
check(goto_report[1].uri:find("BUG%-20260101%-007"), vim.inspect(goto_report))
end)
if not ok then
  io.stderr:write("FAILED neovim: " .. tostring(failure) .. "\n")
  vim.cmd("cquit 1")
end
local version = vim.version()
io.stdout:write(string.format("PASSED neovim %d.%d.%d\n", version.major, version.minor, version.patch))
vim.cmd("qall!")
