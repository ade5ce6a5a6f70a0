import pytest

from pipeline.stages.extract.pdf.quality import is_garbage, share_known


def shifted(text: str, by: int) -> str:
    return "".join(chr(ord(sign) + by) if sign.isalpha() else sign for sign in text)


PROSE = (
    "Subjects receive the study drug once daily for twelve weeks unless toxicity requires a dose reduction or the sponsor ends the trial."
)


@pytest.mark.parametrize(
    "text",
    [
        shifted(PROSE, 1),
        shifted(PROSE, -1),
        "".join(chr(ord(sign) - 29) for sign in PROSE),
        "QWXZ PLLKR \x1d+\x1d~\x05~)\x1d% H7Zö4Q=T$k$R$Wv29J",
        "(cid:12)(cid:33)(cid:7) visit (cid:40)(cid:41)",
        "\ufffd",
        "\ufffd\ufffd\ufffd\ufffd of the \ufffd\ufffd\ufffd",
    ],
)
def test_codes_are_garbage(text: str) -> None:
    assert is_garbage(text)


@pytest.mark.parametrize(
    "text",
    [
        PROSE,
        "Na 141, K 3.9, Cl 104, Cr 0.87, AST 31, ALT 29, WBC 5.2, Hgb 12.8, Plt 231",
        "12 14.2 (3.1) 0.04\n17 15.9 (2.7) 0.31\n" * 20,
        "Die Behandlung wird nach zwölf Wochen beendet, wenn der Patient keine Besserung der Beschwerden zeigt.",
        "El paciente recibe el medicamento una vez al día durante doce semanas, salvo que haya toxicidad.",
        "本研究为随机双盲试验，受试者每日服药一次。",
        "Пациент получает препарат один раз в день в течение двенадцати недель.",
        "© 2019 \ufffd Example Press. All rights reserved by the owner of the text.",
        "",
    ],
)
def test_language_numbers_and_other_scripts_are_not(text: str) -> None:
    assert not is_garbage(text)


def test_share_of_known_words_counts_words_of_three_letters() -> None:
    assert share_known("the patient qqxxq xq 12") == pytest.approx(2 / 3)
    assert share_known("12 mg") == 0.0
