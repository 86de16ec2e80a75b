"""What a clause does, by its grammar."""

import pytest

from callscope.analysis.acts.grammar import classify_clause
from callscope.analysis.acts.kinds import choose_likeliest

ENGLISH = [
    ("Which evening would suit you?", "asks_which"),
    ("what is the best number to reach you on", "asks_which"),
    ("Could you give me your policy number?", "asks_which"),
    ("I'll need your date of birth.", "asks_which"),
    ("And until when?", "asks_which"),
    ("Your surname?", "asks_which"),
    ("Is it a van or a lorry?", "asks_which"),
    ("Do you know who sold it to you?", "asks_which"),
    ("And you touch down at what time?", "asks_which"),
    ("Can you point out which part hurts?", "asks_which"),
    ("Would you say you're a smoker?", "asks_whether"),
    ("Are you happy with the price?", "asks_whether"),
    ("You've been upgraded.", "states_done"),
    ("The line is back up now.", "states_done"),
    ("The money's gone back to your account.", "states_done"),
    ("The system is down.", "states_failed"),
    ("Somebody else has got that room.", "states_failed"),
    ("Can I just check those dates?", "confirms"),
    ("Just give me two seconds.", "requests"),
    ("Please have your card ready.", "requests"),
    ("I'm really glad you let us know.", "thanks"),
    ("That must have been a shock.", "sympathizes"),
    ("The doctor usually sees patients in the afternoon.", "states_fact"),
    ("Have you tried turning it off?", "asks_whether"),
    ("Any damage to the roof?", "asks_whether"),
    ("Can you tell me whether it was locked?", "asks_whether"),
    ("Shall I put you through?", "offers"),
    ("Would you like me to send a brochure?", "offers"),
    ("We could collect it from your office.", "offers"),
    ("You're welcome to use our waiting room.", "offers"),
    ("How can I help?", "offers_help"),
    ("Is there anything else I can do for you?", "offers_more_help"),
    ("Any other questions today?", "offers_more_help"),
    ("So that's two adults on the ninth, is that right?", "confirms"),
    ("Let me read that back to you.", "confirms"),
    ("You said Baker Street, correct?", "confirms"),
    ("Have I got that right?", "confirms"),
    ("That has gone through.", "states_done"),
    ("I've cancelled the order for you.", "states_done"),
    ("Your seat is booked.", "states_done"),
    ("It wouldn't let me.", "states_failed"),
    ("The transfer did not go through.", "states_failed"),
    ("I'm afraid there's nothing left that day.", "states_failed"),
    ("We were unable to reach the depot.", "states_failed"),
    ("A seat costs forty.", "states_fact"),
    ("The gate closes at nine.", "states_fact"),
    ("Good morning, Hill and Sons, Ruth speaking.", "greets"),
    ("Hi, you're through to the front desk.", "greets"),
    ("Thanks for holding.", "thanks"),
    ("I appreciate your patience.", "thanks"),
    ("Have a good evening.", "takes_leave"),
    ("Take care, bye now.", "takes_leave"),
    ("Enjoy the rest of your day.", "takes_leave"),
    ("I'm so sorry about the mix-up.", "apologizes"),
    ("Please accept our apologies.", "apologizes"),
    ("I'm sorry to hear that.", "sympathizes"),
    ("I'll put you on hold for a minute.", "promises"),
    ("Somebody will call you back tomorrow.", "promises"),
    ("You'll get a message from us.", "promises"),
    ("Please hold the line.", "requests"),
    ("account number", "names"),
    ("About how many people will be there to say goodbye?", "asks_which"),
    ("We have waited for that so long.", "states_done"),
    ("We really value your loyalty.", "thanks"),
    ("I have a colleague who could help.", "states_fact"),
    ("I'm not allowed to open that file.", "states_failed"),
    ("Nobody answered the door.", "states_failed"),
    ("Leave that with me.", "promises"),
    ("Let me check that for you.", "promises"),
]
SPANISH = [
    ("¿Toma alguna medicación?", "asks_whether"),
    ("¿Le duele al andar?", "asks_whether"),
    ("¿La casa cuenta con algo de terreno?", "asks_whether"),
    ("No encuentro su cuenta.", "states_failed"),
    ("Seguimos buscando su maleta.", "states_failed"),
    ("Ya le mandé el presupuesto.", "states_done"),
    ("Su equipaje apareció en el aeropuerto.", "states_done"),
    ("El envío tarda tres días.", "states_fact"),
    ("No se olvide de traer el recibo.", "requests"),
    ("¿Qué tarde le viene mejor?", "asks_which"),
    ("¿Me dice su número de póliza?", "asks_which"),
    ("Necesito su fecha de nacimiento.", "asks_which"),
    ("¿Y hasta cuándo?", "asks_which"),
    ("¿Su apellido?", "asks_which"),
    ("¿Es una furgoneta o un camión?", "asks_which"),
    ("¿Tiene ya una cuenta con nosotros?", "asks_whether"),
    ("¿Quiere que se lo envíe por correo?", "offers"),
    ("Si quiere, se lo reservo.", "offers"),
    ("¿En qué puedo ayudarle?", "offers_help"),
    ("¿Necesita alguna cosa más?", "offers_more_help"),
    ("Entonces son dos adultos el día nueve, ¿verdad?", "confirms"),
    ("Le repito los datos.", "confirms"),
    ("Ya está reservado.", "states_done"),
    ("Le he cambiado la cita.", "states_done"),
    ("No he podido hacer el cambio.", "states_failed"),
    ("Ya no quedan plazas.", "states_failed"),
    ("La entrada cuesta diez euros.", "states_fact"),
    ("Buenos días, le atiende Rosa.", "greets"),
    ("Gracias por la espera.", "thanks"),
    ("Que tenga un buen día.", "takes_leave"),
    ("Hasta luego.", "takes_leave"),
    ("Le pido disculpas por el retraso.", "apologizes"),
    ("Le llamaremos mañana.", "promises"),
    ("Espere un momento, por favor.", "requests"),
    ("No se le cobra nada más.", "states_fact"),
    ("No puedo hacer nada más.", "states_failed"),
    ("Si no necesita nada más, le paso.", "offers_more_help"),
    ("¿No quiere nada más?", "offers_more_help"),
    ("No nos está permitido entrar.", "states_failed"),
    ("Nadie contestó al timbre.", "states_failed"),
    ("A ver si lo tengo bien.", "confirms"),
    ("Tengo apuntado dos cafés.", "confirms"),
    ("Talleres Vega, soy Luis.", "introduces"),
]


class TestClause:
    @pytest.mark.parametrize(("clause", "act"), ENGLISH)
    def test_does_one_thing_in_english(self, clause, act):
        assert choose_likeliest(classify_clause(clause, "en")) == act

    @pytest.mark.parametrize(("clause", "act"), SPANISH)
    def test_does_one_thing_in_spanish(self, clause, act):
        assert choose_likeliest(classify_clause(clause, "es")) == act

    def test_may_do_one_thing_or_another(self):
        acts = classify_clause("Would you like a window seat?", "en")

        assert acts["offers"] == 1
        assert 0 < acts["asks_whether"] < 1

    @pytest.mark.parametrize("opening", ["", "Okay, ", "Right, and ", "Lovely, Anna, so "])
    def test_does_the_same_after_words_that_say_nothing(self, opening):
        assert choose_likeliest(classify_clause(f"{opening}where do you live?", "en")) == "asks_which"
