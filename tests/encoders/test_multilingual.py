"""The encoder of nine languages, and what encoders say of texts in others."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import pickle
import warnings
from importlib.resources import files

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.spatial.distance import cdist
from sklearn.base import clone

import skparaphrase
from skparaphrase.datasets import load_faq
from skparaphrase.encoders import ParagramEncoder
from skparaphrase.metrics import RetrievalScorer
from skparaphrase.search import NearDuplicates, SemanticSearch

FILE = files("skparaphrase.encoders") / "data" / "multilingual.npz"
# The same four sentences
SENTENCES = {
    "English": [
        "I forgot my password and cannot log in.",
        "The children are playing in the garden behind the house.",
        "Tomorrow it will rain in the whole country.",
        "He bought two bottles of milk and a loaf of bread.",
    ],
    "German": [
        "Ich habe mein Passwort vergessen und kann mich nicht anmelden.",
        "Die Kinder spielen im Garten hinter dem Haus.",
        "Morgen wird es im ganzen Land regnen.",
        "Er kaufte zwei Flaschen Milch und ein Brot.",
    ],
    "French": [
        "J'ai oublié mon mot de passe et je n'arrive plus à me connecter.",
        "Les enfants jouent dans le jardin derrière la maison blanche.",
        "Demain, il va pleuvoir partout dans notre pays, toute la journée.",
        "Il a acheté deux bouteilles de lait et deux petits pains.",
    ],
    "Spanish": [
        "He olvidado mi contraseña y no puedo iniciar sesión.",
        "Los niños juegan en el jardín detrás de la casa.",
        "Mañana lloverá en todo el país.",
        "Compró dos botellas de leche y un pan.",
    ],
    "Italian": [
        "Ho dimenticato la mia password e non riesco ad accedere.",
        "I bambini giocano nel giardino dietro la casa.",
        "Domani pioverà in tutto il paese.",
        "Ha comprato due bottiglie di latte e un pane.",
    ],
    "Dutch": [
        "Ik ben mijn wachtwoord vergeten en kan niet inloggen.",
        "De kinderen spelen in de tuin achter het huis.",
        "Morgen gaat het in het hele land regenen.",
        "Hij kocht twee flessen melk en een brood.",
    ],
    "Portuguese": [
        "Esqueci minha senha e não consigo entrar.",
        "As crianças brincam no jardim atrás da casa.",
        "Amanhã vai chover em todo o país.",
        "Ele comprou duas garrafas de leite e um pão.",
    ],
    "Polish": [
        "Zapomniałem hasła i nie mogę się zalogować.",
        "Dzieci bawią się w ogrodzie za domem.",
        "Jutro będzie padać w całym kraju.",
        "Kupił dwie butelki mleka i chleb.",
    ],
    "Russian": [
        "Я забыл пароль и не могу войти.",
        "Дети играют в саду за домом.",
        "Завтра во всей стране будет дождь.",
        "Он купил две бутылки молока и хлеб.",
    ],
}
OTHERS = {
    "Swedish": [
        "Jag har glömt mitt lösenord och kan inte logga in.",
        "Barnen leker i trädgården bakom huset medan hundarna skäller högt.",
        "Imorgon kommer det att regna i hela landet.",
        "Vänligen ange ditt användarnamn innan du fortsätter till nästa sida.",
        "Han köpte två flaskor mjölk och ett nybakat bröd.",
    ],
    "Greek": [
        "Ξέχασα τον κωδικό μου και δεν μπορώ να συνδεθώ.",  # noqa: RUF001
        "Τα παιδιά παίζουν στον κήπο πίσω από το σπίτι.",  # noqa: RUF001
        "Αύριο θα βρέξει σε όλη τη χώρα.",
        "Αγόρασε δύο μπουκάλια γάλα και ένα ψωμί.",
    ],
    "Hindi": [
        "मैं अपना पासवर्ड भूल गया हूँ और लॉगिन नहीं कर सकता।",
        "बच्चे घर के पीछे बगीचे में खेल रहे हैं।",
        "कल पूरे देश में बारिश होगी।",
        "उसने दो बोतल दूध और एक रोटी खरीदी।",
    ],
    "Hebrew": [
        "שָׁכַחְתִּי אֶת הַסִּיסְמָה שֶׁלִּי וְאֵינֶנִּי יָכוֹל לְהִתְחַבֵּר.",
        "הַיְלָדִים מְשַׂחֲקִים בַּגִּנָּה מֵאֲחוֹרֵי הַבַּיִת.",
        "מָחָר יֵרֵד גֶּשֶׁם בְּכָל הָאָרֶץ.",
        "הוּא קָנָה שְׁנֵי בַּקְבּוּקֵי חָלָב וְלֶחֶם אֶחָד.",
        "אֵין לִי זְמַן הַיּוֹם כִּי אֲנִי עוֹבֵד עַד הָעֶרֶב.",
        "אֲנַחְנוּ גָּרִים בְּעִיר גְּדוֹלָה לְיַד הַיָּם.",
    ],
}
SCRIPTS = {"Greek": "greek", "Hindi": "devanagari", "Hebrew": "hebrew"}


@pytest.fixture(scope="module")
def encoder():
    return skparaphrase.load_pretrained("multilingual")


def fresh(name):
    """An encoder that has not warned."""
    encoder = skparaphrase.load_pretrained(name)
    encoder.vectors.index.memory.clear()
    return encoder


def test_the_file_says_the_language_of_each_word(encoder):
    with FILE.open("rb") as file, np.load(file) as data:
        names = bytes(data["language_names"]).decode().split("\n")
        words = bytes(data["words"]).decode().split("\n")
        languages = data["language"]
    assert names == list(SENTENCES)
    assert words == encoder.vectors.words
    counts = np.bincount(languages)
    assert len(counts) == len(names) and counts.min() > 4000
    of = dict(zip(words, languages.tolist(), strict=True))
    for word, name in {"the": "English", "und": "German", "который": "Russian"}.items():
        assert names[of[word]] == name


@pytest.mark.parametrize("language", SENTENCES)
def test_translations_are_near_each_other(encoder, language):
    vectors = [encoder.transform(SENTENCES[name]) for name in ("English", language)]
    cosines = 1 - cdist(*vectors, "cosine")
    assert_array_equal(cosines.argmax(axis=1), range(4))
    assert_array_equal(cosines.argmax(axis=0), range(4))


@pytest.mark.parametrize("language", SENTENCES)
def test_a_warning_names_the_language_and_the_table_that_serves(language):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fresh("multilingual").transform(SENTENCES[language])
        if language == "English":
            fresh("english").transform(SENTENCES[language])
            return
    with pytest.warns(UserWarning, match=f'look {language}: load_pretrained."multil'):
        fresh("english").transform(SENTENCES[language])


@pytest.mark.parametrize("name", ["english", "multilingual"])
@pytest.mark.parametrize("language", OTHERS)
def test_other_languages_warn_of_what_serves_them(name, language):
    script = rf" \({SCRIPTS[language]} script\)" if language in SCRIPTS else ""
    with pytest.warns(UserWarning, match=f"in a language{script} that it does not"):
        fresh(name).transform(OTHERS[language])


QUESTIONS = {
    "Turkish": [
        "Şifremi unuttum, ne yapmam gerekiyor?",
        "Siparişim nerede?",
        "Fatura için ödeme yöntemleri nelerdir?",
        "Kargo ücreti ne kadar?",
        "Ürünü iade etmek istiyorum.",
        "Telefon numaram değişti, ne yapmam gerekiyor?",
    ],
    "Swedish": [
        "Jag har glömt mitt lösenord, hur återställer jag det?",
        "Var är min beställning?",
        "Hur betalar jag min faktura?",
        "Jag vill lämna tillbaka varan, vad ska jag göra?",
        "Varför nekades mitt kreditkort?",
        "Jag vill byta telefonnummer.",
        "Hur kontaktar jag kundtjänst?",
        "Hur blir vädret i morgon?",
        "Hunden springer över ängen och skäller.",
        "Barnen leker bakom huset i trädgården.",
    ],
    "Japanese": [
        "パスワードを忘れました。",
        "商品はどこですか?",
        "請求書の支払い方法を教えてください。",
        "アカウントを削除したいです。",
        "送料はいくらですか?",
    ],
    "Chinese": [
        "我忘记了密码,怎么重置?",
        "我的订单在哪里?",
        "我如何支付账单?",
        "我想删除我的账户。",
        "运费是多少?",
        "我想退货,该怎么办?",
    ],
    "Korean": [
        "비밀번호를 잊어버렸어요. 어떻게 하나요?",
        "제 주문은 어디에 있나요?",
        "청구서는 어떻게 결제하나요?",
        "계정을 삭제하고 싶어요.",
        "배송비는 얼마인가요?",
        "상품을 반품하고 싶어요.",
        "전화번호를 변경하고 싶어요.",
        "고객센터에 어떻게 연락하나요?",
        "카드가 왜 거절되었나요?",
    ],
    "Arabic": [
        "نسيت كلمة المرور، كيف يمكنني تعيينها؟",
        "أين طلبي ومتى سيصل؟",
        "كيف أدفع فاتورتي؟",
        "أريد حذف حسابي.",
        "كم تكلفة الشحن؟",
        "أريد إرجاع المنتج، ماذا أفعل؟",
    ],
}


@pytest.mark.parametrize("name", ["english", "multilingual"])
@pytest.mark.parametrize("language", QUESTIONS)
def test_a_language_is_noticed_from_text_to_text(name, language):
    """A bot embeds one question at a time, and a sentence may be one token."""
    questions, encoder = 2 * QUESTIONS[language], fresh(name)
    with pytest.warns(UserWarning, match="that it does not know") as caught:
        for question in questions:
            encoder.transform([question])
    assert len(caught) == 1
    search = SemanticSearch(fresh(name)).fit(["Where is it?", "How do I pay?"])
    with pytest.warns(UserWarning, match="that it does not know"):
        for question in 2 * questions:
            search.search(question)


@pytest.mark.parametrize("name", ["english", "multilingual"])
def test_words_of_a_domain_are_no_language(name):
    """Unknown names and terms, by themselves and in English texts."""
    fresh(name).transform(["", " "])  # nothing to judge by
    texts = ["Hydroxychloroquine", "phosphatidylcholine", "kubectl", "Müller GmbH"]
    texts += [f"How do I dose {word} in a {word} assay?" for word in texts]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        encoder = fresh(name)
        for text in texts:
            encoder.transform([text])
        fresh(name).transform(texts)


def test_whole_life(encoder, tmp_path):
    texts = [text for each in SENTENCES.values() for text in each]
    vectors = encoder.transform(texts)
    assert vectors.shape == (36, 160)
    again = skparaphrase.load_pretrained("multilingual")
    assert again.vectors is clone(encoder).vectors is encoder.vectors
    content = pickle.dumps(encoder)
    assert len(content) < 2000
    assert pickle.loads(content).vectors is encoder.vectors
    encoder.save(tmp_path / "encoder")
    assert skparaphrase.load(tmp_path / "encoder").vectors is encoder.vectors
    options = {"pooling": "mean", "norm": None}
    short = skparaphrase.load_pretrained("multilingual", dim=64, **options)
    whole = skparaphrase.load_pretrained("multilingual", **options)
    expected = whole.transform(texts)[:, :64]
    assert_allclose(short.transform(texts), expected, rtol=1e-5, atol=1e-6)
    # Not German words, in the scripts of the table
    assert encoder.transform(["Fahrradschlauch", "велосипедами"]).any(axis=1).all()
    with pytest.raises(FileNotFoundError, match="'english' and 'multilingual'"):
        skparaphrase.load_pretrained("german")


def test_search_and_near_duplicates_across_languages(encoder):
    faq = load_faq()
    search = SemanticSearch(encoder).fit(faq.data)
    hits = search.search(["Wie kann ich mein Passwort zurücksetzen?"], k=2).text[0]
    assert all("password" in text for text in hits)
    again = "Ich hab mein Passwort vergessen und ich kann mich nicht anmelden!"
    texts = [*SENTENCES["German"], again]
    labels = NearDuplicates(encoder, threshold=0.9).fit(texts).labels_
    assert labels[0] == labels[4] and len(set(labels.tolist())) == 4


def test_a_fit_starts_from_it_and_gains():
    english, german = SENTENCES["English"], SENTENCES["German"]
    pairs = list(zip(english, german, strict=True))
    trained = ParagramEncoder(
        init=skparaphrase.load_pretrained("multilingual"), max_epochs=5, random_state=0
    ).fit(pairs)
    score = RetrievalScorer(pairs)
    start = skparaphrase.load_pretrained("multilingual")
    assert score(trained) >= score(start)
    gains = [
        np.diag(1 - cdist(*(each.transform(x) for x in (english, german)), "cosine"))
        for each in (start, trained)
    ]
    assert (gains[1] > gains[0]).all()
