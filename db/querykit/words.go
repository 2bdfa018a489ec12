package querykit

import "strings"

// Words of titles, names and remarks.
var (
	adjectives = words(`silent golden distant broken hidden crimson ancient northern endless quiet burning
		forgotten little frozen wild hollow electric gentle last first second invisible common silver`)
	nouns = words(`winter river garden mountain house letter machine island harbour mirror city bird forest
		kingdom bridge shadow language clock ocean orchard road stone theatre village window library map song
		storm summer tower train valley voice wall whale wolf year archive atlas border candle castle desert`)
	subjects = words(`algebra astronomy botany chemistry commerce cookery economics engineering ethics geology
		geometry grammar history journalism law logic medicine meteorology music navigation optics painting
		philosophy physics poetry politics printing religion rhetoric sculpture surveying topology weaving zoology`)
	nounsDE = words(`Winter Fluss Garten Berg Haus Brief Maschine Insel Hafen Spiegel Stadt Vogel Wald Brücke
		Schatten Sprache Uhr Straße Stein Dorf Fenster Bücherei Lied Sturm Sommer Turm Zug Tal Stimme Wüste`)
	firstNames = words(`Ada Alan Amina Anders Ángel Barbara Bruno Carla Chen Clara Dana David Edith Elif Emil
		Fatima Felix Fiona Grace Hanna Hugo Ida Ines Ivan Jana João Joan Kenji Lars Lena Leo Lucía Maja Marie
		Mikhail Nadia Nils Noor Olga Omar Paul Priya Quinn Rosa Samir Sofia Tariq Thea Ulla Viktor Wanda Yara Zoë`)
	lastNames = words(`Abbott Ahmadi Ångström Baker Becker Bernard Bianchi Brandt Castillo Chandra Costa Cruz
		Dahl Diaz Dubois Eriksen Evans Fischer Fontaine Garcia Gruber Haddad Hansen Hoffmann Huang Ibrahim Ito
		Jansen Jensen Kaya Keller Kim Kowalski Larsen Lehmann Lopez Martin Mbeki Meyer Moreau Müller Nakamura
		Novak Okafor Olsen Park Patel Pereira Petrov Quist Ramos Ricci Rossi Santos Sato Schmidt Silva Singh
		Smith Suzuki Tanaka Torres Turner Ueda Vogel Wagner Walker Weber Wong Yilmaz Young Zhang Zimmermann`)
	remarks = words(`a about again all almost and any as at because before best better but by chapter could
		ending even every few for from good had has hard have here how in is it long more most much never no
		not of on one only or other out page plot pages print quite rather read reader same should slow so some
		still story than that the their then there they this through too translation two under until very was
		well were what when where which while who will with without words worth would written`)
)

// states are the states of works, with percentages.
var states = []struct {
	name string
	of   int
}{{"available", 70}, {"lent", 14}, {"reserved", 8}, {"repair", 4}, {"ordered", 2}, {"withdrawn", 1}, {"lost", 1}}

func words(text string) []string { return strings.Fields(text) }

// languages are the languages that people speak, with percentages, and the words of their texts.
var languages = []struct {
	tag   string
	of    int
	words []string
}{
	{"en", 80, remarks},
	{"de", 30, nounsDE},
	{"es", 30, words(`agua ahora amigo año barco bosque calle casa ciudad cielo corazón día fuego historia jardín
		libro lluvia luna mañana mar montaña mundo niño noche nube nunca palabra piedra puerta río siempre sol`)},
	{"fr", 25, words(`ami arbre bateau bois chanson château chemin ciel cœur eau été étoile fenêtre fleur forêt
		hiver île jamais jardin livre lune maison matin mer montagne nuit oiseau pierre pluie rivière soleil ville`)},
	{"ja", 12, words(`朝 雨 石 犬 海 駅 音 花 春 人 本 窓 道 港 森 夜 雪 山 月 町 時 鳥 夏 庭 橋 冬 星 魚`)},
}
