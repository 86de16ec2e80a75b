"""What a turn asks for, apart from names that it only mentions, sets aside or explains."""

import pytest

from tests.transcription.redaction.dialogs import CODE, redact

pytestmark = pytest.mark.one_database


class TestSingleDigitsOfACode:
    @pytest.mark.parametrize(
        "asked",
        [
            "I need the 1st and 2nd characters of your security number.",
            "Right, digits three and four of your passcode?",
            "Dígame las posiciones dos y cinco de su clave.",
            "¿La 1ª y la 3ª cifra de su clave?",
        ],
    )
    def test_are_an_answer(self, asked):
        assert redact(f"A: {asked}", "C: 87.")[1] == f"{CODE}."

    def test_are_none_of_a_whole_code(self):
        assert redact("A: What's your four digit PIN?", "C: 87.")[1] == "87."


class TestACount:
    @pytest.mark.parametrize(
        "turns",
        [
            ["A: And the PIN number please?", "C: Which one, I've two.", "A: Ours.", "C: That's 1805."],
            ["A: ¿Y el PIN, por favor?", "C: ¿Cuál? Tengo dos.", "A: El nuestro.", "C: Es el 1805."],
        ],
    )
    def test_is_no_part_of_the_code_that_follows(self, turns):
        left = redact(*turns)

        assert left[1] == turns[1][3:]
        assert CODE in left[3]

    def test_of_one_digit_may_begin_a_short_code(self):
        assert redact("A: The three digits on the back?", "C: Four. Eighty-two.")[1] == f"{CODE}."


class TestAQuestion:
    @pytest.mark.parametrize(
        "turns",
        [
            ["A: What's the PIN?", "C: For the card or the phone?", "A: The phone one.", "C: 6327."],
            ["A: ¿El PIN?", "C: ¿El de la tarjeta o el del teléfono?", "A: El del teléfono.", "C: 6327."],
            ["A: what's the pin", "C: the card or the phone", "A: the phone one", "C: 6327"],
        ],
    )
    def test_stays_open_while_it_is_explained(self, turns):
        assert CODE in redact(*turns)[3]

    @pytest.mark.parametrize(
        "asked",
        [
            "Not the password, the account number please.",
            "La contraseña no, la cuenta.",
            "No me dé el PIN, solo el número de cuenta.",
        ],
    )
    def test_leaves_what_it_sets_aside(self, asked):
        assert redact(f"A: {asked}", "C: 978 - 990 - 2740.")[1] == "978 - 990 - 2740."

    def test_goes_before_what_is_only_announced(self):
        turns = [
            "A: The code's been sent. While we wait, what's your house number?",
            "C: 1777.",
            "A: And has it arrived?",
            "C: Eight, zero, two zero, two, one.",
        ]

        assert redact(*turns)[1::2] == ["1777.", f"{CODE}."]

    def test_is_answered_by_one_of_two_things(self):
        left = redact("A: What did you choose as your PIN?", "C: It's either my birthday or 5971.")

        assert left[1] == f"It's either my birthday or {CODE}."


class TestATopic:
    @pytest.mark.parametrize(
        "said",
        [
            "Please quote 453686 when you call about the password.",
            "Cuando llame por la contraseña diga el 453686.",
        ],
    )
    def test_names_no_number(self, said):
        assert redact(f"A: {said}", "C: Thanks, okay.")[0] == said

    @pytest.mark.parametrize("said", ["Dial 8019 for the security team.", "Marque la 587 para seguridad."])
    def test_of_people_names_no_number(self, said):
        assert redact(f"A: {said}", "C: Thanks.")[0] == said

    @pytest.mark.parametrize(
        "said",
        ["Ponga 4821 cuando le pregunten por la clave.", "Marque 4821 cuando le pregunten por la clave."],
    )
    def test_of_a_question_is_what_it_asks_for(self, said):
        assert CODE in redact(f"A: {said}")[0]


class TestANameBehindTheNumber:
    @pytest.mark.parametrize(
        ("said", "left"),
        [
            (
                "I typed 482913 as the password and it failed.",
                f"I typed {CODE} as the password and it failed.",
            ),
            ("Uso 482913 de contraseña y no entra.", f"Uso {CODE} de contraseña y no entra."),
            ("Puse 4821 como PIN.", f"Puse {CODE} como PIN."),
        ],
    )
    def test_is_joined_by_as(self, said, left):
        assert redact(f"C: {said}")[0] == left

    @pytest.mark.parametrize(
        ("said", "left"),
        [
            ("he had me type 238 640 from the bank's text", f"he had me type {CODE} from the bank's text"),
            (
                "me hizo dictarle 460801 del mensaje del banco",
                f"me hizo dictarle {CODE} del mensaje del banco",
            ),
        ],
    )
    def test_is_the_message_that_it_came_with(self, said, left):
        assert redact(f"C: {said}")[0] == left

    def test_begins_after_as_many_digits_as_it_says(self):
        said = "4539 1488 0343 6467. One, nine, three on the back."

        assert redact("A: Which card?", f"C: {said}")[1] == f"[card number]. {CODE} on the back."


class TestTwoNumbers:
    @pytest.mark.parametrize(
        ("said", "explained", "left"),
        [
            (
                "There are two numbers, 5652384 and 111298.",
                "The first is your reference, the second one is the activation code.",
                f"There are two numbers, 5652384 and {CODE}.",
            ),
            (
                "I've got two, 94044173 and 6589.",
                "The short one is the PIN, the other's the order.",
                f"I've got two, 94044173 and {CODE}.",
            ),
            (
                "Tengo dos números, 96104527 y 4763.",
                "El primero es el pedido y el segundo su PIN.",
                f"Tengo dos números, 96104527 y {CODE}.",
            ),
            (
                "I have 94044173 and 6589.",
                "The first one is the order, the second the invoice. Did you get a PIN?",
                "I have 94044173 and 6589.",
            ),
        ],
    )
    def test_are_explained_afterwards(self, said, explained, left):
        assert redact(f"C: {said}", f"A: {explained}")[0] == left

    @pytest.mark.parametrize(
        ("asked", "said", "left"),
        [
            (
                "I need the booking reference and the security code you picked.",
                "REF-87812134. Five one oh two.",
                f"REF-87812134. {CODE}.",
            ),
            (
                "what's the reference and which password did you set",
                "ninety eight eight forty nine eight and 63204",
                f"ninety eight eight forty nine eight and {CODE}",
            ),
        ],
    )
    def test_are_shared_out_between_two_questions(self, asked, said, left):
        assert redact(f"A: {asked}", f"C: {said}")[1] == left

    @pytest.mark.parametrize(
        ("asked", "said", "left"),
        [
            ("¿Qué código de respaldo le queda?", "Me queda uno: 34695073.", f"Me queda uno: {CODE}."),
            ("Do you have your recovery codes?", "I've got one 5030-4604.", f"I've got one {CODE}."),
        ],
    )
    def test_are_none_where_one_is_a_thing(self, asked, said, left):
        assert redact(f"A: {asked}", f"C: {said}")[1] == left


class TestAMoment:
    @pytest.mark.parametrize(
        "asked",
        [
            "I've just sent you a short number with a code. Tell me when it's there.",
            "Le mandé un código. Avíseme cuando le llegue.",
        ],
    )
    def test_is_no_question_for_a_date(self, asked):
        assert redact(f"A: {asked}", "C: There. Four oh four double nine two.")[1] == f"There. {CODE}."


class TestANumberRightAfterACard:
    def test_is_its_code_though_an_amount_is_spoken_of(self):
        left = redact("A: $5,174.99. Deposit card?", "C: 4539, 1488, 0343, 6467, 008.")

        assert left[1] == f"[card number], {CODE}."


class TestACardThatIsLookedAt:
    def test_is_none_where_another_number_is_asked_for(self):
        left = redact("A: Which customer number is it under?", "C: Let me check my card 4540 4441.")

        assert left[1] == "Let me check my card 4540 4441."

    def test_is_begun_where_it_is_asked_for(self):
        left = redact("A: And the card?", "C: My card 4540 4441, then 1234 1234.")

        assert left[1] == "My card [card number]."


class TestARoom:
    @pytest.mark.parametrize(
        "turns",
        [
            ["A: ¿El número de cuarto?", "C: 2045."],
            ["A: ¿Qué habitación tiene?", "C: Mi cuarto es el 2045."],
        ],
    )
    def test_is_no_fourth_part(self, turns):
        assert redact(*turns)[1] == turns[1][3:]


class TestAQuestionBackWithItsAnswer:
    def test_says_what_its_own_number_is(self):
        said = redact(
            "A: The last three on the back?", "C: Of the account? 519.", "A: Of the card, please.", "C: 882."
        )
        assert said[1] == "Of the account? 519."
        assert said[3] == f"{CODE}."

    def test_leaves_the_card_number_asked_for(self):
        said = redact(
            "A: ¿El número de la tarjeta?",
            "C: ¿El de la cuenta? 8079 7491 260.",
            "A: No, el otro.",
            "C: 4539 1488 0343 6467.",
        )
        assert said[1] == "¿El de la cuenta? 8079 7491 260."
        assert said[3] == "[card number]."


class TestPlacesOfDigitsAlone:
    @pytest.mark.parametrize(
        ("mentioned", "asked"),
        [
            ("I won't give you the whole PIN, will I?", "Second and fourth."),
            ("¿La clave entera no se la digo?", "Primera y tercera."),
        ],
    )
    def test_ask_for_a_part_of_the_code_that_was_spoken_of(self, mentioned, asked):
        assert redact(f"C: {mentioned}", f"A: {asked}", "C: 73.")[2] == f"{CODE}."

    def test_ask_for_nothing_where_no_code_was_spoken_of(self):
        assert redact("C: Which lessons?", "A: Second and fourth.", "C: 73.")[2] == "73."


class TestThePublicCodeNamedLast:
    def test_is_what_the_code_means(self):
        said = redact("A: You have the booking code by mail.", "C: Yes, the code is 817617.")
        assert said[1] == "Yes, the code is 817617."

    def test_is_none_where_a_secret_one_is_asked_for(self):
        said = redact("A: You have the booking code by mail. Your PIN?", "C: The code is 8176.")
        assert said[1] == f"The code is {CODE}."


def test_a_number_read_from_a_loyalty_card_is_no_card_to_pay_with():
    said = redact("A: Which loyalty card is that?", "C: The green one. It's 3571 0532 4231 5426.")
    assert said[1] == "The green one. It's 3571 0532 4231 5426."


def test_a_number_read_from_a_gift_card_is_one():
    said = redact("A: Your gift card, what does it say on it?", "C: 5496-6973-2276-7651.")
    assert said[1] == "[card number]."


def test_the_digits_of_a_card_are_no_public_code_that_was_named_before():
    said = redact(
        "C: I'll pay by card, the sort code bounced.", "A: Go.", "C: 4539 1488 0343 6467. Three digits 388."
    )
    assert said[2] == f"[card number]. Three digits {CODE}."


def test_a_date_that_a_card_ends_is_read_back_without_a_sign():
    said = redact(
        "C: Here's my card: 4539 1488 0343 6467.", "A: Does it expire 02/29?", "C: Oh two twenty-nine, yes."
    )
    assert said[2] == "Oh two twenty-nine, yes."


def test_a_number_with_another_name_is_not_shared_out_among_codes():
    said = redact(
        "C: The SMS says to click and type in the code. Is that right?",
        "A: Did you?",
        "C: Only my clinic number, 893. 019. 1705, no card.",
    )
    assert said[2] == "Only my clinic number, 893. 019. 1705, no card."


def test_a_code_that_an_agent_announced_follows_a_colon():
    said = redact(
        "A: I'll tell you the new PIN once you name the flat.",
        "C: Flat nine.",
        "A: Handing it over: 98355. All good.",
    )
    assert said[2] == f"Handing it over: {CODE}. All good."
