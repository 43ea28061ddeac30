"""The encoder of nine languages, and warnings about texts in other languages."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause
# ruff: noqa: RUF001

import pickle
import warnings
from importlib.resources import files

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.spatial.distance import cdist
from sklearn.base import clone

import skparaphrase
from skparaphrase.datasets import load_faq, load_paraphrases
from skparaphrase.encoders import ParaphraseEncoder
from skparaphrase.metrics import RetrievalScorer
from skparaphrase.search import NearDuplicates, SemanticSearch
from skparaphrase.vectors._languages import LanguageCheck

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


@pytest.fixture(scope="module")
def encoder():
    return skparaphrase.load_pretrained("multilingual")


def fresh(name):
    """An encoder that has not warned."""
    encoder = skparaphrase.load_pretrained(name)
    encoder.vectors._language_check = LanguageCheck()
    return encoder


def test_the_languages_of_the_file():
    with FILE.open("rb") as file, np.load(file) as data:
        assert bytes(data["language_names"]).decode().split("\n") == list(SENTENCES)
        assert np.bincount(data["language"]).min() > 4000


@pytest.mark.parametrize("language", SENTENCES)
def test_translations_are_near_each_other(encoder, language):
    vectors = [encoder.transform(SENTENCES[name]) for name in ("English", language)]
    cosines = 1 - cdist(*vectors, "cosine")
    assert_array_equal(cosines.argmax(axis=1), range(4))
    assert_array_equal(cosines.argmax(axis=0), range(4))


@pytest.mark.parametrize("language", SENTENCES)
def test_a_warning_names_the_table_that_serves(language):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fresh("multilingual").transform(SENTENCES[language])
        if language == "English":
            fresh("english").transform(SENTENCES[language])
            return
    with pytest.warns(UserWarning, match=f'"multilingual".* supports .*{language}'):
        fresh("english").transform(SENTENCES[language])


QUESTIONS = {  # ten of a shop's customers in each language, and sentences with vowels
    "Turkish": [
        "Paramı nasıl geri alabilirim?",
        "Mağazanız saat kaçta açılıyor?",
        "Adresimi nereden değiştirebilirim?",
        "Bu ürün ne zaman stoklara girecek?",
        "Taksitle ödeme yapabilir miyim?",
        "Garanti süresi kaç yıl?",
        "Paketim hasarlı geldi.",
        "İndirim kodum çalışmıyor.",
        "Yurt dışına gönderim yapıyor musunuz?",
        "Üyeliğimi iptal etmek istiyorum.",
    ],
    "Swedish": [
        "Hur får jag pengarna tillbaka?",
        "När öppnar butiken?",
        "Kan jag ändra min adress?",
        "När finns varan i lager igen?",
        "Kan jag betala på avbetalning?",
        "Hur lång är garantin?",
        "Mitt paket kom fram skadat.",
        "Min rabattkod fungerar inte.",
        "Skickar ni till utlandet?",
        "Jag vill säga upp mitt medlemskap.",
    ],
    "Indonesian": [
        "Bagaimana cara mendapatkan uang kembali?",
        "Jam berapa toko buka?",
        "Di mana saya bisa mengubah alamat?",
        "Kapan barang ini tersedia lagi?",
        "Apakah bisa bayar dengan cicilan?",
        "Berapa lama garansinya?",
        "Paket saya rusak.",
        "Kode diskon saya tidak berfungsi.",
        "Apakah kirim ke luar negeri?",
        "Saya ingin membatalkan keanggotaan.",
    ],
    "Romanian": [
        "Cum îmi primesc banii înapoi?",
        "La ce oră se deschide magazinul?",
        "Unde pot schimba adresa?",
        "Când va fi din nou în stoc?",
        "Pot plăti în rate?",
        "Cât durează garanția?",
        "Coletul meu a ajuns deteriorat.",
        "Codul de reducere nu funcționează.",
        "Livrați și în străinătate?",
        "Vreau să renunț la abonament.",
    ],
    "Finnish": [
        "Miten saan rahani takaisin?",
        "Milloin kauppa aukeaa?",
        "Missä voin vaihtaa osoitteeni?",
        "Milloin tuotetta on taas varastossa?",
        "Voinko maksaa osissa?",
        "Kuinka pitkä takuu on?",
        "Pakettini oli vaurioitunut.",
        "Alennuskoodini ei toimi.",
        "Toimitatteko ulkomaille?",
        "Haluan lopettaa jäsenyyteni.",
    ],
    "Japanese": [
        "返金してもらえますか?",
        "お店は何時に開きますか?",
        "住所を変更したい。",
        "この商品はいつ入荷しますか?",
        "分割払いはできますか?",
        "保証期間は何年ですか?",
        "荷物が壊れていました。",
        "クーポンが使えません。",
        "海外に発送できますか?",
        "退会したいです。",
    ],
    "Chinese": [
        "怎么退款?",
        "商店几点开门?",
        "我想修改地址。",
        "什么时候有货?",
        "可以分期付款吗?",
        "保修期多长?",
        "我的包裹坏了。",
        "优惠码不能用。",
        "可以寄到国外吗?",
        "我想取消会员。",
    ],
    "Arabic": [
        "كيف أسترد أموالي؟",
        "متى يفتح المتجر؟",
        "أين أغير عنواني؟",
        "متى يتوفر المنتج مجددا؟",
        "هل يمكنني الدفع بالتقسيط؟",
        "كم مدة الضمان؟",
        "وصل الطرد تالفا.",
        "رمز الخصم لا يعمل.",
        "هل تشحنون إلى الخارج؟",
        "أريد إلغاء اشتراكي.",
    ],
    "Hindi": [
        "मुझे पैसे वापस कैसे मिलेंगे?",
        "दुकान कब खुलती है?",
        "मैं पता कहाँ बदलूँ?",
        "यह सामान फिर कब आएगा?",
        "क्या मैं किस्तों में भुगतान कर सकता हूँ?",
        "वारंटी कितने साल की है?",
        "मेरा पार्सल टूटा हुआ आया।",
        "मेरा कूपन काम नहीं करता।",
        "क्या आप विदेश भेजते हैं?",
        "मैं सदस्यता रद्द करना चाहता हूँ।",
    ],
    "Greek": [
        "Πώς παίρνω πίσω τα χρήματά μου;",
        "Πότε ανοίγει το κατάστημα;",
        "Πού αλλάζω τη διεύθυνσή μου;",
        "Πότε θα υπάρχει ξανά;",
        "Μπορώ να πληρώσω με δόσεις;",
        "Πόσο διαρκεί η εγγύηση;",
        "Το δέμα μου ήρθε χαλασμένο.",
        "Ο κωδικός έκπτωσης δεν λειτουργεί.",
        "Στέλνετε στο εξωτερικό;",
        "Θέλω να ακυρώσω τη συνδρομή μου.",
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


@pytest.mark.parametrize("name", ["english", "multilingual"])
@pytest.mark.parametrize("language", QUESTIONS)
def test_ten_texts_are_enough(name, language):
    """One by one, as in a chatbot, and in one call; a sentence may be one token."""
    questions = QUESTIONS[language]
    for calls in ([[question] for question in questions], [questions]):
        encoder = fresh(name)
        with pytest.warns(UserWarning, match="than the table") as caught:
            for texts in [*calls, *calls]:
                encoder.transform(texts)
        assert len(caught) == 1
    search = SemanticSearch(fresh(name)).fit(load_faq().data)
    with pytest.warns(UserWarning, match="than the table"):
        for question in questions:
            search.search(question)


@pytest.mark.parametrize("name", ["english", "multilingual"])
def test_english_is_silent(name):
    """The example data, in order and shuffled, one by one and in one call."""
    texts = [*load_faq().data, *np.ravel(load_paraphrases().data)[:500]]
    mixed = np.random.default_rng(0).permutation(texts).tolist()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for order in (texts, mixed):
            encoder = fresh(name)
            for text in order:
                encoder.transform([text])
            fresh(name).transform(order)


def test_known_languages_are_silent_text_by_text():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        encoder = fresh("multilingual")
        for sentences in SENTENCES.values():
            for sentence in sentences:
                encoder.transform([sentence])


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
    with pytest.raises(FileNotFoundError, match="'english' or 'multilingual'"):
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
    trained = ParaphraseEncoder(
        init=skparaphrase.load_pretrained("multilingual"), shrinkage=0, random_state=0
    ).fit(pairs)
    score = RetrievalScorer(pairs)
    start = skparaphrase.load_pretrained("multilingual")
    assert score(trained) >= score(start)
    gains = [
        np.diag(1 - cdist(*(each.transform(x) for x in (english, german)), "cosine"))
        for each in (start, trained)
    ]
    assert (gains[1] > gains[0]).all()
