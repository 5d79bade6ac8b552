from timephrase.chinese import ChineseReader as EnglishReader
