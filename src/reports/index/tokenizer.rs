//! [`words`] as a tantivy tokenizer.

use tantivy::tokenizer::{Token, TokenStream, Tokenizer};

use crate::text::words::words;

/// [`words`] as a tantivy tokenizer.
#[derive(Clone, Default)]
pub(super) struct WordTokenizer {
    tokens: Vec<Token>,
}

/// The tokens of one text.
pub(super) struct WordStream<'a> {
    tokens: &'a mut Vec<Token>,
    next: usize,
}

impl Tokenizer for WordTokenizer {
    type TokenStream<'a> = WordStream<'a>;

    fn token_stream<'a>(&'a mut self, text: &'a str) -> WordStream<'a> {
        self.tokens.clear();
        words(text, |position, word| {
            self.tokens.push(Token { position, text: word.to_owned(), ..Token::default() });
        });
        WordStream { tokens: &mut self.tokens, next: 0 }
    }
}

impl TokenStream for WordStream<'_> {
    fn advance(&mut self) -> bool {
        self.next += 1;
        self.next <= self.tokens.len()
    }

    fn token(&self) -> &Token {
        &self.tokens[self.next - 1]
    }

    fn token_mut(&mut self) -> &mut Token {
        &mut self.tokens[self.next - 1]
    }
}
