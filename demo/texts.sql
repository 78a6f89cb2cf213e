-- What people wrote: notes on returns slips and field reports of reviewers, a hundred texts written by hand for rows
-- that data.sql made. Each fits the product, the date, the reason or the stars of its row. Run after data.sql, as
-- superuser.
--
-- What they tell: in January 2025 the labels M and L of a rain jacket were swapped; since May 2025 a trail shoe comes
-- on a narrower last; in July 2025 buckles of a trekking pack broke, seams of tents leaked and zips of sleeping bags
-- jammed; in winter 2025 down jackets lost feathers.

UPDATE returns r SET note = t.note FROM (VALUES
    -- Wędrowiec Giewont Rain Jacket, January 2025
    (7045, 'The label says M, but the jacket is clearly an L. My old one in M fits me well.'),
    (7057, 'Much too large although I ordered my usual M. The hood falls over my eyes.'),
    (7064, 'The main zip came off the rail on the second day.'),
    (7107, 'Ordered L, the label says L, and it is as tight as an M. The labels must be swapped.'),
    (7137, 'The jacket is far wider than the size chart for M says.'),
    (7174, 'Auf dem Etikett steht L, die Jacke ist aber so eng wie eine M. Da wurden wohl die Etiketten vertauscht.'),
    (7215, 'The sleeves hang over my hands. Labelled M, cut like L.'),
    (7220, 'Too tight over a fleece. I measured it: the chest is that of an M, not of an L.'),
    (7234, 'Viel zu eng an den Schultern, obwohl L auf dem Etikett steht.'),
    (7263, 'Zu klein. Meine Frau hat die gleiche Jacke in M bestellt, und die ist größer als meine L.'),
    (7268, 'Zu weit, die M fällt aus wie eine L.'),
    (7291, 'Size L is too small this time; the one from last year in L was perfect.'),
    (7307, 'The label in the collar and the sticker on the bag show different sizes.'),
    -- Bergfalk Krkonoše Plus Trail Shoe, July 2025
    (8633, 'My toes touch the front. The same size of last year was fine.'),
    (8642, 'I took one size more as the shop advised, and now the heel slips.'),
    (8672, 'The toe box is much narrower than in the photos of the web shop.'),
    (8688, 'Too narrow at the toes, blisters after eight kilometres.'),
    (8707, 'Vorne zu schmal. Im Vorjahr war der Leisten noch breiter.'),
    (8724, 'The size chart of the web shop is still the old one. Please correct it.'),
    (8749, 'The lacing hook tore out of the upper on the first run.'),
    (8756, 'Too small, the new last is narrower and shorter than before.'),
    (8764, 'I wear 43 in every Bergfalk shoe, but this 43 pinches my little toe.'),
    (8769, 'Eine Nummer größer bestellt, jetzt rutsche ich hinten heraus.'),
    (8774, 'The shoe is fine in length but far too narrow in front.'),
    (8817, 'Pinches at the toes. A wide model would be needed.'),
    (8835, 'The sole came loose at the tip after three weeks.'),
    (8869, 'It is sold as a wide shoe, and it is not wide any more.'),
    (8881, 'Zu eng. Zwei Zehennägel sind blau.'),
    (8918, 'Described as roomy. The toe box is narrow.'),
    -- Trekking packs, July 2025
    (8664, 'The buckle of the hip belt cracked when I closed it on the second day.'),
    (8680, 'The frame stay has pushed through the fabric at the bottom.'),
    (8693, 'Hip belt buckle broken at the hut, I had to knot the belt.'),
    (8790, 'Die Schnalle am Hüftgurt ist beim Schließen gebrochen. Ohne Gurt trägt man 18 Kilo auf den Schultern.'),
    (8885, 'Arrived five days after our tour had begun.'),
    (8914, 'The pack has no rain cover, although the description promises one.'),
    (8922, 'A seam of the shoulder strap has opened.'),
    (8960, 'The zip of the lid pocket does not close any more.'),
    -- Tents, July 2025
    (8868, 'Water came through the floor seam in the first thunderstorm. The tape peels off.'),
    (8898, 'The seam tape of the fly has come loose, it dripped on our sleeping bags all night.'),
    (8910, 'Leaks along the seam above the door.'),
    (8930, 'A pole segment split in a normal breeze.'),
    (8970, 'The tape on the seams is sticky and comes off in strips.'),
    (8807, 'The vestibule is half as deep as in the picture.'),
    -- Sleeping bags, July 2025
    (8853, 'The zip catches the lining at every closing and has torn it.'),
    (8864, 'The two-way zip jams in the middle, I could not get out at night.'),
    (8876, 'Feathers come out of every seam.'),
    (8888, 'Der Reißverschluss klemmt immer an der gleichen Stelle im Futter.'),
    (8899, 'Zip jammed after one week, the slider has no guard against the fabric.'),
    (8913, 'The slider of the zip is bent.'),
    (8962, 'The drawcord of the hood ripped out.'),
    (8783, 'Rated for plus two degrees, and I was freezing at eight.'),
    -- Down jackets, November and December 2025
    (9950, 'Down feathers come through the fabric at the shoulders, my pullover is white.'),
    (9952, 'Loses feathers all over, mostly where the rucksack rubs.'),
    (10267, 'So many feathers come out that one chamber is empty already.'),
    (10277, 'The zip of the left pocket split open.'),
    (10318, 'Sold as water-repellent. Drizzle soaked it in ten minutes.'),
    (10595, 'Die Daunen kommen durch den Stoff, überall Federn im Auto.'),
    -- Headlamps, December 2025
    (10382, 'Dies at minus ten degrees after twenty minutes, although the battery was full.'),
    (10401, 'A Christmas present that came on 27 December.'),
    (10438, 'The box says 400 lumens, and the old one with 200 is brighter.'),
    -- Hiking boots, autumn 2025
    (10028, 'The sole of the right boot came off on the descent.'),
    (10068, 'Sole separates at the heel after six tours.'),
    (10214, 'Water comes in at the tongue seam.')
) AS t (return_id, note) WHERE r.return_id = t.return_id;

UPDATE reviews r SET field_report = t.report FROM (VALUES
    -- Wędrowiec Giewont Rain Jacket
    (5382, 'Zwei Exemplare bestellt, eines in M und eines in L. Die M ist größer als die L, die Etiketten sind offensichtlich vertauscht. Sonst eine gute Jacke: Sie hielt sechs Stunden Regen am Wilden Kaiser aus, und die Belüftung unter den Armen ist angenehm.'),
    (5467, 'Nach dem dritten Umtausch passt sie endlich. Im Laden sagte man mir, dass bei der Winterlieferung die Größen M und L falsch etikettiert waren. Das kostet Nerven.'),
    (5549, 'Eine Woche Dauerregen in Schottland, innen alles trocken. Die Kapuze passt über den Helm. Nur der Klettverschluss am Ärmel löst sich leicht.'),
    (5604, 'A decent jacket for the price. It runs small: the L that I got has the measures of an M, and the shop admitted that a delivery had been labelled wrongly. After the exchange it fits, and two days of rain in the Lake District did not get through.'),
    (7878, 'It keeps the rain out, but there is hardly any room for a warm layer below. The pockets cannot be reached when you wear a hip belt.'),
    -- Bergfalk Krkonoše Plus Trail Shoe
    (6860, 'Seit dem Frühjahr hat der Schuh einen anderen Leisten. Meine alten in 43 passten wie angegossen, die neuen in 43 drücken an den Zehen. Wer breite Füße hat, sollte die Finger davon lassen.'),
    (7036, 'My third pair. I know that some people find the new last too narrow; I have slim feet and like how precisely it sits. The grip on wet limestone is the best that I have had.'),
    (7062, 'Nach der ersten Pfütze nasse Füße. Dass er nicht wasserdicht ist, stand nirgends.'),
    (7181, 'Im Juli gekauft: vorn viel zu schmal, nach einem Halbmarathon zwei blaue Zehennägel. Auch eine Nummer größer half nicht, dann rutscht die Ferse.'),
    (7492, 'Light and with a very good grip, also in mud. The laces are too long, and the tongue moves to the side after an hour.'),
    -- Trekking packs
    (5733, 'Eight days along the Kungsleden with sixteen kilos. The back panel fits well once it is adjusted, the rain cover stays on in a storm, and nothing got wet. I would like a bigger pocket on the hip belt.'),
    (7242, 'Trägt sich auch mit 18 Kilo hervorragend. Die gebrochene Schnalle am Hüftgurt wurde mir in der Filiale sofort und kostenlos gegen eine aus Metall getauscht.'),
    (6394, 'Das Tragesystem ist für Leute ab 1,85 Meter nicht gemacht: Der Hüftgurt sitzt am Bauch.'),
    (7519, 'Nach drei Monaten ist die Naht am linken Schulterträger gerissen. Zum Glück ging das auf Garantie.'),
    -- Tents
    (6014, 'Nicht wasserdicht: Beim ersten Gewitter tropfte es an der Naht über dem Eingang, am Morgen stand Wasser in der Wanne.'),
    (6236, 'Set up in five minutes, and light. But it is small: with two people the mats touch the walls, and in the morning the foot ends of our bags were wet from condensation.'),
    (6524, 'We had it on a ridge in Norway with gusts of 80 km/h, and it did not move. The ventilation works, so there was hardly any condensation.'),
    (6627, 'Good value for two people. The pegs bend in hard ground, take better ones with you. One pole segment split, and we got a new one within a week.'),
    (6789, 'Das Nahtband löst sich. Nach zwei Stunden Regen war der Boden nass. Für den Preis eine Enttäuschung.'),
    (7015, 'Das Gewebe hält dicht, die Nähte nicht. Ich habe sie mit Nahtdichter selbst nachgearbeitet, seitdem ist Ruhe.'),
    (7022, 'Ten nights in the Julian Alps, three of them in heavy rain, and not a drop inside. The bag for the poles could be longer.'),
    -- Sleeping bags
    (6388, 'Warm enough for the summer. It is cut for small people: at 1.82 m I cannot stretch out, and the hood presses on my forehead.'),
    (6515, 'Very light and packs to the size of a loaf of bread. The zip needs care: without a finger behind the slider it bites into the lining.'),
    (7009, 'Two weeks in Iceland, down to minus four degrees, and I was never cold. The collar closes well, and the zip runs without catching.'),
    (7089, 'A comfortable bag. I sleep on my side, and there is enough room at the knees. It dries slowly after washing.'),
    (7128, 'Kept me warm at three degrees. The zip caught the lining twice a night until I cut off the loose thread.'),
    (7321, 'Der Reißverschluss war nach drei Monaten kaputt: Er klemmt im Futter, und der Schieber ist verbogen.'),
    -- Down jackets
    (4970, 'The zip broke after a month, right before a tour. The repair took three weeks.'),
    (5090, 'Warm, but feathers keep coming out at the seams, most of all where the straps of the backpack rub.'),
    (7467, 'Weighs almost nothing and is warm enough for belaying at zero degrees. It fits below a hard shell.'),
    (7628, 'Wore it at minus fifteen on the Hohe Tauern and was never cold. It packs into its own pocket.'),
    (7866, 'Very warm, well made, the hood is adjustable with one hand. No feathers on my pullover so far.'),
    (7897, 'It is warm, but I lose a feather an hour. My sofa looks like a hen house.'),
    -- Other
    (4216, 'The sole came off on the second tour, in the middle of a scree slope. Dangerous!'),
    (4510, 'Both heels were bloody after the first day, although I had walked the boots in for two weeks.'),
    (5944, 'Comfortable from the first step, but water comes in through the seam of the tongue when you cross wet meadows.'),
    (6505, 'After a hundred kilometres the edge of the sole is coming loose. The workshop glued it, and it has held since.'),
    (6697, 'A week of rain and bog in Norway, and my socks were dry every evening. Worth every euro.'),
    (6766, 'Too stiff for hiking. The ankle hurt after every descent.'),
    (5205, 'Bright and simple, and it works with gloves. The battery lasts two evenings in winter, not five as the box says.'),
    (7670, 'At minus ten degrees the light goes out after half an hour. With the battery in the jacket pocket and a cable it would be better.'),
    (6106, 'The seam at the thumb opened on the first tour with the ice axe.'),
    (7731, 'My fingers stay warm on the lift and on the summit. They need two days to dry.'),
    (6811, 'The best pack for a day in the mountains that I have had. The back stays dry, the bottle can be reached while walking.'),
    (4656, 'Described as 22 litres, and my things for a day do not fit. The daypack of a friend with 20 litres takes more.')
) AS t (review_id, report) WHERE r.review_id = t.review_id;
