;;; Run by tests/clients/run: emacs -Q --batch -l emacs.el, with FAULTBOOK and PROJECT set.  -*- lexical-binding: t -*-
;; The set-up of docs/editors.md, a log, its diagnostic, and the report that a code action writes.
;; Debian keeps eglot for Emacs 28 with its packages.
(let ((default-directory "/usr/share/emacs/site-lisp/elpa/"))
  (when (file-directory-p default-directory) (normal-top-level-add-subdirs-to-load-path)))
(package-initialize)
(require 'cl-lib)
(require 'eglot)
(require 'flymake)
(setq eglot-sync-connect 20 eglot-autoshutdown t eglot-confirm-server-initiated-edits nil)
(add-to-list 'eglot-server-programs `((text-mode markdown-mode) . (,(getenv "FAULTBOOK") "lsp")))
(add-to-list 'auto-mode-alist '("\\.log\\'" . text-mode))

(defun check (ok says) (unless ok (error "%s" says)))
(defun wait (done) (let ((end (+ (float-time) 20)))
  (while (and (not (funcall done)) (< (float-time) end)) (accept-process-output nil 0.05))
  (funcall done)))

(condition-case failure
    (let* ((project (getenv "PROJECT"))
           (folder (expand-file-name "docs/bug_reports" project))
           (before (directory-files folder nil "\\.md\\'")))
      (find-file (expand-file-name "run.log" project))
      (check (derived-mode-p 'text-mode) "not text-mode")
      (apply #'eglot--connect (eglot--guess-contact))
      (check (wait #'eglot-managed-p) "eglot does not manage the log")
      (flymake-mode 1)
      (check (wait (lambda () (flymake-start) (flymake-diagnostics))) "no diagnostic")
      (let ((mark (car (flymake-diagnostics))))
        (check (= 4 (line-number-at-pos (flymake-diagnostic-beg mark))) "the mark is on another line")
        (check (string-match-p "cuDNN" (flymake-diagnostic-text mark)) (flymake-diagnostic-text mark)))
      (goto-char (point-min)) (forward-line 3) (forward-char 14)
      (let* ((server (eglot-current-server))
             (hover (jsonrpc-request server :textDocument/hover (eglot--TextDocumentPositionParams)))
             (actions (jsonrpc-request server :textDocument/codeAction
                        (list :textDocument (eglot--TextDocumentIdentifier)
                              :range (list :start (eglot--pos-to-lsp-position) :end (eglot--pos-to-lsp-position))
                              :context '(:diagnostics []))))
             (draft (cl-find "Draft a bug report from this" actions
                      :key (lambda (action) (plist-get action :title)) :test #'equal))
             (command (plist-get draft :command)))
        (check (string-match-p "Most likely" (plist-get (plist-get hover :contents) :value)) "no hover")
        (check draft "no such action")
        (jsonrpc-request server :workspace/executeCommand
          (list :command (plist-get command :command) :arguments (plist-get command :arguments))))
      (check (= (1+ (length before)) (length (directory-files folder nil "\\.md\\'"))) "no report")
      (princ (format "PASSED emacs %s eglot\n" emacs-version)))
  (error (princ (format "FAILED emacs: %S\n" failure) #'external-debugging-output) (kill-emacs 1)))
(kill-emacs 0)
