package wrong
import ("testing";"fmt")
func TestListX(t *testing.T){ for _,l:=range All(){ fmt.Printf("%s | %s | %s | %s\n", l.Exercise.Name,l.Name,l.Check,l.Mistake)}}
