"""People and their judgment in a real browser: reviews by keyboard, an appeal, its decision, the report."""

import browser as browsers
import pytest
from django.db import transaction
from web.conftest import CONFIGURATION, bring, give_transcript, line

from callscope.calls.own_calls import link_user
from callscope.pipeline.decisions.calibration_edits import close_calibration, open_calibration
from callscope.pipeline.decisions.review_edits import create_review
from callscope.projects.services import configure_project, create_project, share_project
from callscope.reports.overview.report import build_report, report_json
from callscope.reports.window import ALL_TIME
from callscope.reviews.answers import GivenAnswer
from callscope.reviews.appeal_records import Appeal
from callscope.reviews.calibration.sessions import CalibrationPlan
from callscope.reviews.models import Review
from callscope.reviews.revisions import GivenReview
from callscope.reviews.sampling.draw import SamplePlan, draw_sample
from tests.effort import take_share

pytestmark = [pytest.mark.journey, pytest.mark.one_database]
SAMPLED = 5
POINTS = 30  # of a call: 10 for the greeting, 20 for the identity
MOST_TABS = 150
PARTS = ("comment", "quote")
LOOKS = [("en-GB", "light", "wide"), ("es-ES", "dark", "phone")]


@pytest.fixture
def project(transactional_db, alice, bob, carol):
    """Six calls of Ana's, all perfect to the machine. Carol is Ana, Bob decides, Alice has five to review."""
    project = create_project(alice, "Service line", document=CONFIGURATION)
    calls = bring(project, *(line(n) for n in range(1, SAMPLED + 2)))
    share_project(project, bob, role="editor")
    with transaction.atomic():
        link_user(project, carol.email, calls[0].agent)
    draw_sample(project, SamplePlan(per_agent=SAMPLED, reviewers=[alice.email], seed=1), alice)
    return project


class Person:
    """Somebody at a keyboard, who presses Tab until what is wanted has the focus."""

    def __init__(self, chromium, site, user, **options):
        self.site = site
        self.page = browsers.open_page(chromium, **options)
        self.wrong = browsers.watch(self.page)
        browsers.give_session(self.page, site, user)

    def open(self, address):
        self.page.goto(self.site + address)
        browsers.open_folds(self.page)
        assert (browsers.violations(self.page), browsers.overflow(self.page)) == ("", 0), address

    def tab_to(self, selector):
        for _ in range(MOST_TABS):
            self.page.keyboard.press("Tab")
            if self.page.evaluate("(wanted) => document.activeElement.matches(wanted)", selector):
                return
        raise AssertionError(f"no key leads to {selector}")

    def choose(self, name, value):
        """Choose one of several answers with the arrow keys."""
        self.tab_to(f"[name='{name}']")
        self.page.keyboard.press("Space")
        for _ in range(4):
            if self.page.evaluate("() => document.activeElement.value") == value:
                return
            self.page.keyboard.press("ArrowDown")
        raise AssertionError(f"no key chooses {value}")

    def press(self, selector, **goes):
        """Press the button, and wait for the page that it leads to."""
        self.tab_to(selector)
        with self.page.expect_navigation():
            self.page.keyboard.press("Enter")

    def leave(self):
        assert self.wrong == []
        self.page.context.close()


def compliance(project):
    return report_json(build_report([project], ALL_TIME))["headline"]["weighted_compliance"]


@pytest.mark.parametrize(("locale", "theme", "width"), take_share(LOOKS, 1, one_in=2))
def test_people_have_the_last_word(chromium, live_server, project, alice, bob, carol, locale, theme, width):
    looks = {
        "locale": locale,
        "color_scheme": theme,
        "viewport": {"width": browsers.WIDTHS[width], "height": 900},
    }
    possible = (SAMPLED + 1) * POINTS
    assert compliance(project) == 100

    reviewer = Person(chromium, live_server.url, alice, **looks)
    for number in range(SAMPLED):
        reviewer.open(f"/projects/{project.pk}/reviews/")
        assert reviewer.page.evaluate("document.documentElement.lang") == locale[:2]
        reviewer.press("main a[href$='/review/']")
        if not number:
            assert (browsers.violations(reviewer.page), browsers.overflow(reviewer.page)) == ("", 0)
        reviewer.choose("answer:greeting", "met" if number else "not_met")
        reviewer.choose("answer:identity", "met")
        reviewer.press("[name=do][value=submit]")
    reviewer.open(f"/projects/{project.pk}/reviews/")
    assert reviewer.page.locator("main a[href$='/review/']").count() == 0
    reviewer.leave()
    assert Review.objects.filter(reviewer=alice, is_current=True, blind=True).count() == SAMPLED
    assert compliance(project) == round(100 * (possible - 10) / possible, 2)

    judged = Review.objects.get(is_corrected=True)
    agent = Person(chromium, live_server.url, carol, **looks)
    agent.open(f"/calls/{judged.call_id}/")
    agent.press("#criterion-greeting a[href$='appeal=greeting#appeal-form']")
    agent.tab_to("[name=reason]")
    agent.page.keyboard.type("I said good morning.")
    agent.press("form[action$='/appeals/'] button, form:has([name=criterion_id]) button")
    agent.leave()
    assert Appeal.objects.get().state == Appeal.State.OPEN
    assert compliance(project) == round(100 * (possible - 10) / possible, 2)

    decider = Person(chromium, live_server.url, bob, **looks)
    decider.open("/appeals/")
    decider.tab_to("[name=reason]")
    decider.page.keyboard.type("True: it is the first thing that is said.")
    decider.press("[name=decision][value=accepted]")
    decider.open("/report/")
    decider.leave()
    appeal = Appeal.objects.get()
    assert (appeal.state, appeal.decided_by) == (Appeal.State.ACCEPTED, bob)
    # The ten points of the greeting are back, and no other point has moved.
    assert compliance(project) == 100
    judged.refresh_from_db()
    assert appeal.new_review.total_points - judged.total_points == 10_000_000


class TestLeaving:
    """The form of a review warns before answers are lost."""

    WARNS = """() => {
        const leaving = new Event("beforeunload", {cancelable: true});
        window.dispatchEvent(leaving);
        return leaving.defaultPrevented;
    }"""

    @pytest.fixture
    def reviewer(self, chromium, live_server, project, alice):
        person = Person(chromium, live_server.url, alice, viewport={"width": 1440, "height": 900})
        person.open(f"/calls/{project.calls.first().pk}/review/")
        return person

    def test_is_quiet_until_something_was_changed(self, reviewer):
        untouched = reviewer.page.evaluate(self.WARNS)
        reviewer.page.locator("details summary").first.click()

        assert (untouched, reviewer.page.evaluate(self.WARNS)) == (False, False)
        reviewer.leave()

    @pytest.mark.parametrize(
        "change",
        [
            "document.querySelector(\"[name='answer:greeting']\").click()",
            "document.querySelector('[name=comment]').value = 'Friendly.'",
            "document.querySelector('[name=\"place:agent\"]').selectedIndex = 1",
        ],
    )
    def test_warns_of_what_is_not_saved(self, reviewer, change):
        reviewer.page.evaluate(change)

        assert reviewer.page.evaluate(self.WARNS)
        reviewer.leave()

    def test_lets_a_draft_be_saved(self, reviewer):
        asked = []
        reviewer.page.on("dialog", lambda dialog: (asked.append(dialog.type), dialog.accept()))
        reviewer.choose("answer:greeting", "met")

        reviewer.press("[name=do][value=draft]")

        assert (asked, reviewer.page.evaluate(self.WARNS)) == ([], False)
        reviewer.leave()

    def test_warns_of_answers_that_were_refused(self, reviewer):
        reviewer.choose("answer:greeting", "met")
        with reviewer.page.expect_response(lambda response: response.status == 400):
            reviewer.page.keyboard.press("Control+Enter")
        reviewer.page.wait_for_selector("[role=alert]")

        assert reviewer.page.evaluate(self.WARNS)
        reviewer.page.context.close()  # the browser's console tells of the refusal


def test_calls_for_a_calibration_are_counted_again_at_every_tick(chromium, live_server, project, alice):
    visitor = Person(chromium, live_server.url, alice)
    page = visitor.page
    page.goto(f"{live_server.url}/projects/{project.pk}/calibrations/?count=3&how=chance")
    assert "Chosen: 3 of 6 calls." in page.inner_text("[role=status]:has([data-kept])")

    page.locator(".choosing input[name=call]").first.uncheck()

    assert "Chosen: 2 of 6 calls." in page.inner_text("[role=status]:has([data-kept])")
    page.context.close()
    assert visitor.wrong == []


def test_a_mistake_that_is_only_heard_asks_for_a_comment(chromium, live_server, project, alice):
    mistakes = [{"id": "rude", "text": "Is rude", "any_of": ["no way"]}]
    protocol = {**project.config["no_protocol"], "mistakes": mistakes}
    configure_project(project, {**project.config, "no_protocol": protocol}, by=alice)
    call = project.calls.first()
    give_transcript(call, quality={"ok": False, "reasons": [], "half_heard": True})
    reviewer = Person(chromium, live_server.url, alice, viewport={"width": 1440, "height": 900})
    reviewer.open(f"/calls/{call.pk}/review/")
    labels = "fieldset[data-comment-shows] label[for^={0}]"
    label = {name: reviewer.page.locator(labels.format(name)) for name in PARTS}
    assert label["comment"].inner_text() == "Comment optional"

    reviewer.page.check("[name='finding-answer:mistake:rude'][value=made]")
    assert label["comment"].inner_text() == "Comment required without a quote"
    assert label["quote"].inner_text().endswith("optional")
    quote = reviewer.page.locator("[name='finding-quote:mistake:rude']")
    quote.fill("Good morning")
    assert label["comment"].inner_text() == "Comment optional"
    quote.fill("")
    for name in ("greeting", "identity"):
        reviewer.page.check(f"[name='answer:{name}'][value=met]")
    with reviewer.page.expect_navigation():
        reviewer.page.click("[name=do][value=submit]")

    assert reviewer.page.evaluate("document.activeElement.name") == "finding-comment:mistake:rude"
    reviewer.page.context.close()


class TestACalibration:
    """Alice and Bob rate two of three calls, each time with other answers."""

    # Where what is shown of these begins, from the left and from the top, and how wide it is.
    CELLS = """(cells) => [...document.querySelectorAll(cells)]
        .map((each) => each.getBoundingClientRect()).filter((box) => box.width)
        .map((box) => [Math.round(box.left), Math.round(box.top), Math.round(box.width)])"""

    @pytest.fixture
    def calibration(self, project, alice, bob):
        calls = list(project.calls.order_by("pk")[:3])
        calibration = open_calibration(
            project.pk, CalibrationPlan([call.pk for call in calls], [alice.email, bob.email]), alice
        )
        for call in calls[:2]:
            for person, answer in ((alice, "met"), (bob, "not_met")):
                answers = [GivenAnswer(name, answer) for name in ("greeting", "identity")]
                create_review(call.pk, GivenReview(answers, submits=True), person)
        return calibration

    @pytest.mark.parametrize("width", [390, 820, 1440])
    def test_has_its_own_answers_below_the_names_of_calls(
        self, chromium, live_server, project, alice, calibration, width
    ):
        visitor = Person(chromium, live_server.url, alice, viewport={"width": width, "height": 900})
        visitor.open(f"/projects/{project.pk}/calibrations/{calibration.pk}/")

        answers = visitor.page.evaluate(self.CELLS, ".own td .mark")

        assert len(answers) == 4
        assert len({left for left, _, _ in answers}) == (1 if width == 390 else 2)
        visitor.page.context.close()
        assert visitor.wrong == []

    def test_has_one_rater_a_line_on_a_phone(self, chromium, live_server, project, alice, calibration):
        close_calibration(calibration.pk, alice)
        visitor = Person(chromium, live_server.url, alice, viewport={"width": 390, "height": 900})
        visitor.open(f"/projects/{project.pk}/calibrations/{calibration.pk}/")

        answers = visitor.page.evaluate(self.CELLS, ".raters td .mark")
        choices = visitor.page.evaluate(self.CELLS, ".raters select")
        scores = visitor.page.evaluate(self.CELLS, ".scores td")

        # Two criteria of two calls: the machine and two people; a call that nobody rated has one score.
        assert (len(answers), len(choices), len(scores)) == (12, 4, 2 * 4 + 1)
        assert len({left for left, _, _ in answers + choices}) == 1
        assert len({width for _, _, width in choices}) == 1
        for each in (answers + choices, scores):
            assert len({top for _, top, _ in each}) == len(each)
        visitor.page.context.close()
        assert visitor.wrong == []

    def test_keeps_its_head_and_its_choices_in_sight(
        self, chromium, live_server, project, alice, calibration
    ):
        close_calibration(calibration.pk, alice)
        visitor = Person(chromium, live_server.url, alice, viewport={"width": 1440, "height": 900})
        visitor.open(f"/projects/{project.pk}/calibrations/{calibration.pk}/")

        visitor.page.evaluate(
            """document.body.style.paddingBlockEnd = '2000px';
            document.querySelector('.raters tbody:last-of-type').scrollIntoView()"""
        )
        [(_, top, _), *_] = visitor.page.evaluate(self.CELLS, ".raters thead th")
        visitor.page.set_viewport_size({"width": 700, "height": 900})
        choices = visitor.page.evaluate(self.CELLS, ".raters select")

        assert 0 <= top < 100
        assert all(left + width <= 700 for left, _, width in choices)
        visitor.page.context.close()
        assert visitor.wrong == []
