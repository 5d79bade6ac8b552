def english_tokens(t): 
    from timephrase.chinese_words import tokens_of
    return tokens_of(t)
