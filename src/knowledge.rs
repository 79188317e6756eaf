//! Book, signatures and index in one hand, opened once and shared by every front end.
//!
//! Opening is lazy: a traceback that the book knows, in a project without reports, never touches the index.
