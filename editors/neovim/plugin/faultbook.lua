-- :Faultbook and its language server. Loaded by Neovim itself; `require("faultbook").setup{}` changes the defaults.
if vim.g.loaded_faultbook then return end
vim.g.loaded_faultbook = true

vim.api.nvim_create_user_command("Faultbook", function(opts)
  require("faultbook").diagnose(opts)
end, { nargs = "?", range = true, complete = "file", desc = "Diagnose the buffer, a range, or a file" })

vim.api.nvim_create_autocmd("FileType", {
  group = vim.api.nvim_create_augroup("faultbook", {}),
  callback = function(event) require("faultbook").attach(event.buf) end,
})
