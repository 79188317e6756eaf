-- Faultbook for Neovim: a language server on logs, reports and pages, and :Faultbook.
-- It starts one server per project and does nothing when the command is not installed.
local M = {}

M.config = {
  cmd = { "faultbook", "lsp" },
  -- Languages that get the server; ids in comments are known in all of them.
  filetypes = { "log", "text", "markdown", "python", "sh", "cuda", "cpp", "c", "rust", "yaml", "toml" },
}

function M.setup(config)
  M.config = vim.tbl_deep_extend("force", M.config, config or {})
  for _, buffer in ipairs(vim.api.nvim_list_bufs()) do
    if vim.api.nvim_buf_is_loaded(buffer) then M.attach(buffer) end
  end
end

local function root(buffer)
  local name = vim.api.nvim_buf_get_name(buffer)
  local from = name ~= "" and vim.fn.fnamemodify(name, ":p:h") or vim.fn.getcwd()
  local file = vim.fn.findfile("faultbook.toml", from .. ";")
  local folder = vim.fn.finddir(".git", from .. ";")
  if file ~= "" then return vim.fn.fnamemodify(file, ":p:h") end
  return folder ~= "" and vim.fn.fnamemodify(folder, ":p:h:h") or from
end

-- Servers by project, for Neovim before 0.8, which has no vim.lsp.start.
local servers = {}

local function start(config, buffer)
  if vim.lsp.start then return vim.lsp.start(config, { bufnr = buffer }) end
  local id = servers[config.root_dir]
  if not id or not vim.lsp.get_client_by_id(id) then
    id = vim.lsp.start_client(config)
    servers[config.root_dir] = id
  end
  if id then vim.lsp.buf_attach_client(buffer, id) end
  return id
end

-- Neovim before 0.8 does not support window/showDocument: the report is opened here.
local function draft(command, context)
  local client = vim.lsp.get_client_by_id(context.client_id)
  if not client then return end
  local params = { command = command.command, arguments = command.arguments }
  client.request("workspace/executeCommand", params, function(failure, answer)
    if failure then
      vim.notify("faultbook: " .. failure.message, vim.log.levels.ERROR)
    elseif answer and answer.path and not vim.lsp.handlers["window/showDocument"] then
      vim.cmd("edit " .. vim.fn.fnameescape(answer.path))
    end
  end, context.bufnr)
end

-- Neovim looks for the buffer of a diagnostic by its file's name, and finds none for a buffer that was never saved:
-- a log pasted into one is marked here.
local function mark(failure, result, context, config)
  local usual = vim.lsp.handlers["textDocument/publishDiagnostics"]
  if failure or not result or result.uri ~= "file://" then return usual(failure, result, context, config) end
  for _, buffer in ipairs(vim.lsp.get_buffers_by_client_id(context.client_id)) do
    if vim.api.nvim_buf_is_valid(buffer) and vim.api.nvim_buf_get_name(buffer) == "" then
      local marks = {}
      for _, one in ipairs(result.diagnostics) do
        local function column(place)
          local words = vim.api.nvim_buf_get_lines(buffer, place.line, place.line + 1, false)[1] or ""
          local ok, byte = pcall(vim.str_byteindex, words, place.character, true)
          return ok and byte or #words
        end
        marks[#marks + 1] = {
          lnum = one.range.start.line, col = column(one.range.start),
          end_lnum = one.range["end"].line, end_col = column(one.range["end"]),
          severity = one.severity, message = one.message, source = one.source, code = one.code,
        }
      end
      vim.diagnostic.set(vim.lsp.diagnostic.get_namespace(context.client_id), buffer, marks)
    end
  end
end

-- Gives a buffer its server.
function M.attach(buffer)
  if not vim.tbl_contains(M.config.filetypes, vim.bo[buffer].filetype) then return end
  if vim.fn.executable(M.config.cmd[1]) == 0 then return end
  return start({
    name = "faultbook",
    cmd = M.config.cmd,
    root_dir = root(buffer),
    handlers = { ["textDocument/publishDiagnostics"] = mark },
    commands = {
      -- The server has no clipboard; Neovim does.
      ["faultbook.copyCommand"] = function(command)
        vim.fn.setreg('"', command.arguments[1])
        pcall(vim.fn.setreg, "+", command.arguments[1])
        vim.notify("faultbook: copied")
      end,
      ["faultbook.draftReport"] = draft,
    },
  }, buffer)
end

-- The command line's answer for some lines or a file, as JSON.
local function ask(lines, file)
  local command = { M.config.cmd[1], "diagnose", "--format", "json", file or "-" }
  local input = not file and table.concat(lines, "\n") .. "\n" or nil
  local output = vim.fn.system(command, input)
  local ok, answer = pcall(vim.json.decode, output, { luanil = { object = true, array = true } })
  if not ok then return nil, output end
  return answer
end

-- Places of an answer, for the quickfix list.
local function items(answer, where, offset)
  local list = {}
  local function add(span, kind, text)
    local item = { lnum = span.start.line + offset, col = span.start.column, type = kind, text = text }
    list[#list + 1] = vim.tbl_extend("force", item, where)
  end
  if answer.fault then
    add(answer.fault.span, "E", answer.fault.id .. ": " .. answer.fault.title)
    local cause = answer.causes[1]
    if cause then add(answer.fault.span, "I", "most likely: " .. cause.title) end
    for _, action in ipairs(answer.actions) do
      if cause and vim.tbl_contains(action.causes, cause.id) then add(answer.fault.span, "I", "fix: " .. action.title) end
    end
  end
  for _, echo in ipairs(answer.cascade) do add(echo.span, "W", "follows from it: " .. echo.id) end
  local frame = answer.error and answer.error.frame
  if frame and frame.line > 0 and vim.fn.filereadable(frame.file) == 1 then
    list[#list + 1] = { filename = frame.file, lnum = frame.line, type = "E", text = "raised through " .. frame["function"] }
  end
  return list
end

-- :Faultbook [file], :'<,'>Faultbook
function M.diagnose(opts)
  opts = opts or {}
  local file = opts.args and opts.args ~= "" and opts.args or nil
  local first = opts.range == 2 and opts.line1 or 1
  local last = opts.range == 2 and opts.line2 or -1
  local buffer = vim.api.nvim_get_current_buf()
  local lines = not file and vim.api.nvim_buf_get_lines(buffer, first - 1, last, false) or nil
  local answer, failure = ask(lines, file)
  if not answer then
    vim.notify(failure, vim.log.levels.ERROR)
    return
  end
  local where = file and { filename = file } or { bufnr = buffer }
  local list = items(answer, where, file and 0 or first - 1)
  vim.fn.setqflist({}, " ", { title = "Faultbook", items = list })
  if #list > 0 then
    vim.cmd("copen")
  else
    vim.notify(answer.verdict == "no-error" and "faultbook: no failure found" or "faultbook: not a failure in the book")
  end
  return answer
end

return M
